import { join } from 'node:path';
import { storeConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { startChild } from './children/protocol.ts';
import { openStore, temporaryFolder } from './test-store.ts';

/** Short, because kill.test.ts and test/fault/kill kill it, too. */
const CRASH_ROUNDS = process.env.SVC_FAULT === 'long' ? 6 : 3;

// No option `another`: a second process on the folder is refused.
describe('store conformance', () => {
  const cases = storeConformance({
    open: async (clock) => {
      const { folder, remove } = temporaryFolder();
      const path = join(folder, 'runs.db');
      let store = await openStore(path, clock);
      return {
        path,
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
    crash_rounds: CRASH_ROUNDS,
    start: ({ path }, work) => startChild(new URL('./children/conformance.ts', import.meta.url), [path, work]).process,
  });
  for (const { name, run, left_out } of cases) it.skipIf(left_out)(name, { timeout: 120_000 }, run);
});
