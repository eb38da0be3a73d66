import { runsFolder } from '../harness/runs-dbs.ts';
import { testWorkers } from './workers-scene.ts';

testWorkers({ open: runsFolder, unusable: () => ['/dev/null/runs-db', 'ENOTDIR'], isHeldByPrimary: true });
