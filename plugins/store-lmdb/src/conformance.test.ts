import { join } from 'node:path';
import { storeConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

describe('store conformance', () => {
  const cases = storeConformance({
    open: async (clock) => {
      const { folder, remove } = temporaryFolder();
      const path = join(folder, 'runs.db');
      let store = await openStore(path, clock);
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openStore(path, clock);
          return store;
        },
        dispose: async () => {
          await store.close();
          remove();
        },
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
