import { runsFolder } from '../harness/runs-dbs.ts';
import { testEnding } from './ending-workers-scene.ts';

testEnding(runsFolder, ['closed', 'full'], ['check spins', 'close']);
