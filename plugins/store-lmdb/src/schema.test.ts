import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { type Key, open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

/** Looks into the folder, or writes to it, as another version would. */
async function inside<T>(action: (env: RootDatabase<string, string>) => T): Promise<T> {
  const env = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  try {
    return action(env);
  } finally {
    await env.close();
  }
}

const indexOf = (env: RootDatabase<string, string>) => env.openDB<string, Key[]>('run-index', { encoding: 'string' });

test('a folder of schema 1 becomes one of schema 3, with its runs and without the entries that are kept up no more', async () => {
  const runs = [sampleRun({ created_at: '2026-01-01T00:00:00.000Z' }), sampleRun({ created_at: '2026-01-02T00:00:00.000Z' })];
  const store = await openStore(folder);
  await commitSealed(
    store,
    runs.map((run) => createRun(run)),
  );
  await store.close();
  const kept = await inside((env) => [...indexOf(env).getKeys()]);
  await inside((env) => {
    const index = indexOf(env);
    env.transactionSync(() => {
      env.putSync('schema', '1');
      for (const key of kept) index.putSync(key, '');
      for (const { run_id, created_at, owner } of runs) {
        index.putSync(['all', '*', created_at, run_id], '');
        index.putSync(['owner', owner, created_at, run_id], '');
      }
      // More than are removed at once.
      for (let n = 0; n < 2000; n += 1) index.putSync(['owner', `instance-${n}`, '2026-01-01T00:00:00.000Z', 'x'], '');
    });
  });

  const again = await openStore(folder);
  expect((await again.runs({ limit: 10 })).rows.map(({ run_id }) => run_id)).toEqual(runs.map(({ run_id }) => run_id).reverse());
  expect((await again.runs({ owner: 'instance-a', limit: 10 })).rows).toHaveLength(2);
  expect(await verifiedChain(again)).toHaveLength(2);
  await again.close();
  expect(await inside((env) => [...indexOf(env).getKeys()])).toEqual(kept);
  // The version that knows schema 1 alone refuses what is marked with a later one.
  expect(await inside((env) => env.get('schema'))).toBe('3');
});
