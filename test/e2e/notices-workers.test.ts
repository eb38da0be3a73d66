import { runsFolder } from '../harness/runs-dbs.ts';
import { testNotices } from './notices-workers-scene.ts';

testNotices(runsFolder);
