import { runsFolder } from '../harness/runs-dbs.ts';
import { testOperations } from './operations-workers-scene.ts';

testOperations(runsFolder);
