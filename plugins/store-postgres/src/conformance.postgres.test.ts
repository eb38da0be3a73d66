import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { storeConformance } from '@svc/sdk/testing';
import { afterAll, describe, inject, it } from 'vitest';
import { openStore, ReusedDatabases } from './test-database.ts';

const CHILD = fileURLToPath(new URL('./children/conformance.ts', import.meta.url));

const databases = new ReusedDatabases(inject('postgres'));
afterAll(() => databases.remove());

/** Short, because test/fault/postgres-kill kills replicas, too. */
const CRASH_ROUNDS = process.env.SVC_FAULT === 'long' ? 6 : 3;

describe('store conformance', () => {
  const cases = storeConformance({
    open: async (clock) => {
      const { url, giveBack } = await databases.take();
      const began = clock.now();
      const open = () => openStore(url, { clock, ahead: () => clock.now() - began });
      let store = await open();
      return {
        url,
        open,
        store,
        reopen: async () => {
          await store.close();
          store = await open();
          return store;
        },
        dispose: async () => {
          await store.close();
          await giveBack();
        },
      };
    },
    another: ({ open }) => open(),
    crash_rounds: CRASH_ROUNDS,
    // Each child is a new process. It uses the builds of other packages, which load faster than their sources.
    start: ({ url }, work) => spawn(process.execPath, [CHILD, url, work], { stdio: ['ignore', 'pipe', 'ignore'] }),
  });
  for (const { name, run, left_out } of cases) it.skipIf(left_out)(name, { timeout: 120_000 }, run);
});
