import { randomInt, randomUUID } from 'node:crypto';
import type { DumpItem, RunRow } from '@svc/sdk/store';
import { commitSealed, createRun, moveRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { PostgresStore } from './postgres-store.ts';
import { openStore, ReusedDatabases, sql } from './test-database.ts';
import { type Fault, FaultyProxy } from './test-proxy.ts';

// Some dozens of rounds each wait for the disk.
vi.setConfig({ testTimeout: 120_000 });

const NEVER = Number.MAX_SAFE_INTEGER;
/** More messages than any action here sends. Without a limit, a fault that never happens would be tried forever. */
const MAX_TIMES = 500;

/** Making the tables anew for each message takes ten seconds and more. */
const TABLES_STRIDE = process.env.SVC_FAULT === 'long' ? 1 : 3;

const databases = new ReusedDatabases(inject('postgres'));
afterAll(() => databases.remove());

let url: string;
let giveBack: () => Promise<void>;
let proxy: FaultyProxy;

beforeEach(async () => {
  ({ url, giveBack } = await databases.take());
  proxy = await FaultyProxy.before(url, async (port) => {
    await sql(url, 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE client_port = $1', [port]);
  });
});
afterEach(async () => {
  await proxy.close();
  await giveBack();
});

/**
 * Breaks `action` after its first message to the server (`cut`) or its first statement (`terminate`), then after its second, and so on until the
 * action completes. `check` receives whether the action resolved. Returns after how many messages the action was last broken.
 * @param stride breaks it only after every so many messages, from a random one
 */
async function breakEverywhere(
  fault: Fault,
  prepare: () => Promise<void>,
  action: () => Promise<unknown>,
  check: (resolved: boolean) => Promise<void>,
  stride = 1,
): Promise<number> {
  for (let times = randomInt(stride) + 1; times < MAX_TIMES; times += stride) {
    await prepare();
    proxy.arm(times, fault);
    const error = await action().then(
      () => null,
      (reason: unknown) => reason,
    );
    const through = await proxy.disarm();
    if (error !== null) expect(error, `after ${times}`).toMatchObject({ name: 'StoreError' });
    await check(error === null).catch((cause: unknown) => {
      throw new Error(`broken after ${times}`, { cause });
    });
    if (through) return times - stride;
  }
  throw new Error('it never went through');
}

/** Retries until it works, as the kernel does after a failure. Only one connection was broken, so this does not take long. */
async function goesOn(store: PostgresStore): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const works = await store.commit([], []).then(
      () => true,
      () => false,
    );
    if (works) return;
  }
  throw new Error('the store does not go on');
}

async function held(store: PostgresStore, ...keys: string[]): Promise<number[]> {
  return store.counters.read(keys);
}

/** Whether a commit that ends one run and begins another was made. It must be made completely, or not at all. */
async function wasDone(store: PostgresStore, ended: string, begun: string): Promise<boolean> {
  const row = await store.run(ended);
  const done = row?.status === 'completed';
  expect(await store.run(begun)).toEqual(done ? expect.objectContaining({ run_id: begun }) : null);
  expect(await store.content(ended, 'payload')).toEqual(done ? null : Uint8Array.of(1));
  expect(await held(store, begun)).toEqual([done ? 3 : 5]);
  const evidence = (await verifiedChain(store)).map(({ bytes }) => JSON.parse(bytes).run_id);
  expect(evidence.filter((run_id) => run_id === ended)).toHaveLength(done ? 2 : 1);
  expect(evidence.filter((run_id) => run_id === begun)).toHaveLength(done ? 1 : 0);
  expect(row?.evidence?.seq).toBe(evidence.lastIndexOf(ended) + 1);
  const counts = await store.countRuns();
  for (const status of ['completed', 'running'] as const)
    expect((await store.runs({ status: [status], limit: 1000 })).rows).toHaveLength(counts[status]);
  return done;
}

describe.each([
  ['message', 'cut'],
  ['statement', 'terminate'],
] as const)('a connection that breaks after any %s (%s)', (_, fault) => {
  let direct: PostgresStore;
  let store: PostgresStore;
  beforeEach(async () => {
    direct = await openStore(url);
    store = await openStore(proxy.url);
  });
  afterEach(async () => {
    await store.close();
    await direct.close();
  });

  /** Waits for statements from the broken connection that may still be running. Also checks that the store continues to work. */
  const comeAfter = async (): Promise<void> => {
    await goesOn(store);
    await direct.counters.reserve(randomUUID(), []);
    await direct.commit([], []);
  };

  test('leaves all of a commit or nothing, and the store recovers by itself', async () => {
    let run: RunRow;
    let key: string;
    let unheard = 0;
    const payload = { name: 'payload', bytes: Uint8Array.of(1), expires_at: null };
    const broken = await breakEverywhere(
      fault,
      async () => {
        run = sampleRun();
        key = randomUUID();
        const holds = [{ key, amount: 5, limit: 5, expires_at: NEVER }];
        // Prepares the connection that will be broken: it knows each statement, and works after the previous break.
        expect(await store.counters.reserve(run.run_id, holds)).toEqual({ granted: true });
        const [outcome] = await commitSealed(store, [createRun(run, { put_content: [payload], unique_key: run.run_id })]);
        expect(outcome?.result).toBe('committed');
      },
      () =>
        commitSealed(store, [
          moveRun(run, 'completed', {
            drop_content: ['payload'],
            put_content: [{ name: 'response', bytes: Uint8Array.of(2), expires_at: 5 }],
            settlements: [{ reservation: run.run_id, spend: [{ key, amount: 3, expires_at: NEVER }] }],
          }),
          createRun(sampleRun({ run_id: key }), { unique_key: key }),
        ]),
      async (resolved) => {
        await comeAfter();
        const done = await wasDone(direct, run.run_id, key);
        expect(done || !resolved).toBe(true);
        if (done && !resolved) unheard += 1;
        // As the kernel's ledger writer does, what is missing is sent again, and nothing is done twice.
        const again = await commitSealed(store, [moveRun(run, 'completed'), createRun(sampleRun(), { unique_key: key })]);
        expect(again.map(({ result }) => result)).toEqual(done ? ['conflict', 'duplicate'] : ['committed', 'committed']);
      },
    );
    expect(broken).toBeGreaterThan(fault === 'cut' ? 20 : 5);
    // If the connection is cut after COMMIT was sent, the commit is done, although its caller was not notified.
    if (fault === 'cut') expect(unheard).toBe(1);
  });

  test('leaves all of a reservation or nothing, and asking again is safe', async () => {
    let id: string;
    const holds = () => ['a', 'b'].map((name) => ({ key: `${id} ${name}`, amount: 5, limit: 5, expires_at: NEVER }));
    const broken = await breakEverywhere(
      fault,
      async () => {
        id = randomUUID();
        await store.counters.reserve('warm', [{ key: 'warm', amount: 1, limit: 1, expires_at: NEVER }]);
      },
      () => store.counters.reserve(id, holds()),
      async (resolved) => {
        await comeAfter();
        const found = await held(direct, `${id} a`, `${id} b`);
        expect(found).toEqual(found[0] === 5 || resolved ? [5, 5] : [0, 0]);
        expect(await store.counters.reserve(id, holds())).toEqual({ granted: true });
        expect(await held(direct, `${id} a`, `${id} b`)).toEqual([5, 5]);
      },
    );
    expect(broken).toBeGreaterThan(fault === 'cut' ? 5 : 2);
  });

  test('leaves a lease and a cursor with which a holder can continue', async () => {
    let name: string;
    const lease = async () => {
      const taken = await store.acquireLease(name, 'a', 60_000);
      if (taken === null) throw new Error('the lease is held by another');
      return taken;
    };
    await breakEverywhere(
      fault,
      async () => {
        name = randomUUID();
        await store.acquireLease('warm', 'a', 60_000);
      },
      async () => store.moveCursor(name, 7, await lease()),
      async (resolved) => {
        await comeAfter();
        expect([0, 7]).toContain(await direct.cursor(name));
        if (resolved) expect(await direct.cursor(name)).toBe(7);
        expect(await store.moveCursor(name, 8, await lease())).toBe(true);
        expect(await direct.cursor(name)).toBe(8);
      },
    );
  });

  test('leaves the whole load or nothing', async () => {
    const runs = Array.from({ length: 3 }, () => sampleRun());
    async function* items(): AsyncGenerator<DumpItem> {
      for (const run of runs) yield { kind: 'run', run };
      yield { kind: 'meta', key: 'id', value: 'x' };
    }
    const broken = await breakEverywhere(
      fault,
      async () => {
        await sql(url, 'TRUNCATE svc.run, svc.run_count, svc.meta');
      },
      () => store.load(items()),
      async (resolved) => {
        await comeAfter();
        const { running } = await direct.countRuns();
        expect(running).toBe(resolved || running > 0 ? 3 : 0);
        expect((await direct.runs({ limit: 10 })).rows).toHaveLength(running);
        expect(await direct.readMeta('id')).toBe(running > 0 ? 'x' : null);
      },
    );
    expect(broken).toBeGreaterThan(fault === 'cut' ? 10 : 2);
  });

  test('rejects a dump, which never counts as complete', async () => {
    await commitSealed(
      direct,
      Array.from({ length: 600 }, () => createRun(sampleRun())),
    );
    const counted = async () => {
      let items = 0;
      for await (const _ of store.dump()) items += 1;
      expect(items).toBe(1200);
    };
    const broken = await breakEverywhere(
      fault,
      async () => {},
      counted,
      async () => {},
    );
    expect(broken).toBeGreaterThan(fault === 'cut' ? 10 : 2);
  });
});

test.each(['cut', 'terminate'] as const)(
  'a connection that breaks (%s) while the tables are made leaves all of them or none',
  async (fault) => {
    const broken = await breakEverywhere(
      fault,
      async () => {
        await sql(url, 'DROP SCHEMA IF EXISTS svc CASCADE');
      },
      async () => (await openStore(proxy.url)).close(),
      async () => {
        const [found] = await sql<{ tables: number }>(
          url,
          `SELECT count(*)::int AS tables FROM information_schema.tables WHERE table_schema = 'svc'`,
        );
        // The table of sessions is created by a migration of its own.
        expect([0, 13, 14]).toContain(found?.tables);
        const store = await openStore(url);
        await commitSealed(store, [createRun(sampleRun())]);
        expect(await verifiedChain(store)).toHaveLength(1);
        await store.close();
      },
      TABLES_STRIDE,
    );
    expect(broken).toBeGreaterThan(fault === 'cut' ? 8 : 2);
  },
);
