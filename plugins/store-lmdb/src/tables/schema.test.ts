import { RUN_STATUSES } from '@svc/sdk/store';
import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { type Key, open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore, temporaryFolder } from '../test-store.ts';
import { SCHEMA } from './schema.ts';

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

describe('an older folder', () => {
  const runs = RUN_STATUSES.map((status, n) =>
    sampleRun({ status, route: `route-${n % 2}`, created_at: `2026-01-0${n + 1}T00:00:00.000Z` }),
  );

  /** A folder with these runs and, in its index, other entries than today's, marked with the schema. */
  async function olderFolder(schema: string): Promise<Key[]> {
    const store = await openStore(folder);
    await commitSealed(
      store,
      runs.map((run) => createRun(run)),
    );
    await store.close();
    return inside((env) => {
      const index = indexOf(env);
      const present = [...index.getKeys()];
      env.transactionSync(() => {
        env.putSync('schema', schema);
        for (const key of present) index.removeSync(key);
        for (const { run_id, created_at, route, owner, status } of runs) {
          index.putSync(['all', '*', created_at, run_id], '');
          index.putSync(['owner', owner, created_at, run_id], '');
          index.putSync(['status', status, created_at, run_id], '');
          index.putSync(['route', route, created_at, run_id], '');
        }
      });
      return present;
    });
  }

  // The last is the mark of one that was killed while it brought the folder up to date.
  test.each(['1', '2', '3', '4', '1000001'])('of schema %s gets the current index of its runs', async (schema) => {
    const present = await olderFolder(schema);
    const again = await openStore(folder);
    expect((await again.runs({ limit: 10 })).rows.map(({ run_id }) => run_id)).toEqual(
      runs.map(({ run_id }) => run_id).reverse(),
    );
    expect((await again.runs({ route: 'route-0', status: ['error'], limit: 10 })).rows).toHaveLength(
      runs.filter(({ route, status }) => route === 'route-0' && status === 'error').length,
    );
    expect(await verifiedChain(again)).toHaveLength(runs.length);
    await again.close();
    expect(await inside((env) => [...indexOf(env).getKeys()])).toEqual(present);
    // A version that knows an older schema alone refuses what is marked with a later one.
    expect(await inside((env) => env.get('schema'))).toBe(String(SCHEMA));
  });

  test.each(['3', '4'])('of schema %s without sessions begins one with its next run', async (schema) => {
    await olderFolder(schema);
    const run = () => createRun(sampleRun({ status: 'completed', session: 's' }));
    const store = await openStore(folder);
    await commitSealed(store, [run(), run()]);
    await store.close();
    const again = await openStore(folder);
    await commitSealed(again, [run()]);
    const records = (await verifiedChain(again)).map(({ bytes }): { session?: { number: number } } => JSON.parse(bytes));
    expect(records.slice(0, runs.length).every(({ session }) => session === undefined)).toBe(true);
    expect(records.slice(runs.length).map(({ session }) => session?.number)).toEqual([1, 2, 3]);
    expect((await again.runs({ session: 's', limit: 10 })).rows).toHaveLength(3);
    await again.close();
  });

  test('may have more runs than are indexed in one step', async () => {
    await olderFolder('2');
    const more = Array.from({ length: 12_000 }, (_, n) =>
      sampleRun({ status: 'blocked', created_at: new Date(Date.UTC(2026, 1, 1) + n).toISOString() }),
    );
    await inside((env) => {
      const rows = env.openDB<string, string>('runs', { encoding: 'string' });
      env.transactionSync(() => {
        for (const run of more) rows.putSync(run.run_id, JSON.stringify(run));
      });
    });
    const again = await openStore(folder);
    const found = await again.runs({ principal: 'alice', route: 'default', status: ['blocked'], limit: 10_000 });
    expect(found.rows).toHaveLength(10_000);
    const rest = await again.runs({
      principal: 'alice',
      route: 'default',
      status: ['blocked'],
      limit: 10_000,
      cursor: found.next ?? '',
    });
    expect(rest.rows).toHaveLength(2000);
    await again.close();
  });
});
