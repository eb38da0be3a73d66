import { join } from 'node:path';
import { temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';
import { testWorkers } from './workers-scene.ts';

testWorkers({
  open: async () => {
    const { folder, remove } = temporaryFolder();
    return { url: join(folder, 'runs-db'), remove: async () => remove() };
  },
  unusable: () => ['/dev/null/runs-db', 'ENOTDIR'],
  isHeldByPrimary: true,
});
