import { inject } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testWorkers } from './workers-scene.ts';

testWorkers({
  open: () => temporaryDatabase(inject('postgres')),
  unusable: (url) => {
    const nowhere = new URL(url);
    nowhere.pathname = '/nowhere';
    return [nowhere.href, '3D000'];
  },
  isHeldByPrimary: false,
});
