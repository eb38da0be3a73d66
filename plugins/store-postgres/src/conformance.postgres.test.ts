import { storeConformance } from '@svc/sdk/testing';
import { describe, inject, it } from 'vitest';
import { openStore, temporaryDatabase } from './test-database.ts';

describe('store conformance', () => {
  const cases = storeConformance({
    open: async (clock) => {
      const { url, remove } = await temporaryDatabase(inject('postgres'));
      let store = await openStore(url, clock);
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openStore(url, clock);
          return store;
        },
        dispose: async () => {
          await store.close();
          await remove();
        },
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
