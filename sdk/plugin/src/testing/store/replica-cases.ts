import type { CounterHold, Lease, Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { at, createRun, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, verifiedChain } from './chain.ts';
import type { ReplicaContext, StoreCases } from './fixture.ts';

const NEVER = Number.MAX_SAFE_INTEGER;

function given(lease: Lease | null): Lease {
  assert.present(lease, 'a lease');
  return lease;
}

async function replicas({ store, another }: ReplicaContext, number: number): Promise<Store[]> {
  const others = await Promise.all(Array.from({ length: number - 1 }, () => another()));
  return [store, ...others];
}

/** The nth caller's store. */
function pick(stores: readonly Store[], n: number): Store {
  const store = stores[n % stores.length];
  assert.present(store, 'a store');
  return store;
}

function hold(key: string, amount: number, limit: number): CounterHold {
  return { key, amount, limit, expires_at: NEVER };
}

const sealing = (number: number) => async (context: ReplicaContext) => {
  const stores = await replicas(context, number);
  const commits = Array.from({ length: 120 }, (_, i) => [0, 1].map(() => createRun(sampleRun({ created_at: at(i) }))));
  const outcomes = await Promise.all(commits.map((changes, i) => commitSealed(pick(stores, i), changes)));
  const records = await verifiedChain(context.store);
  assert.equal(records.length, 240);
  for (const [i, changes] of commits.entries()) {
    for (const [n, { run }] of changes.entries()) {
      const outcome = outcomes[i]?.[n];
      assert.ok(outcome?.result === 'committed' && outcome.evidence !== null, 'a commit with evidence', outcome);
      assert.equal(JSON.parse(records[outcome.evidence.seq - 1]?.bytes ?? '').run_id, run.run_id);
    }
  }
  for (const store of stores) {
    assert.deepEqual(await verifiedChain(store), records);
    assert.equal((await store.countRuns()).running, 240);
  }
};

/** From `exclusive`, the gateway derives whether other owners are dead. So a store that can be shared is tested with other stores. */
export const sharingCases = (shared: boolean): StoreCases => ({
  [shared ? 'is not exclusive: other processes can open it' : 'is exclusive, or the option "another" is given']: async ({
    store,
  }) => assert.equal(store.exclusive, !shared),
});

export const replicaCases: StoreCases<ReplicaContext> = {
  'reads what another instance has written': async (context) => {
    const [first, second] = await replicas(context, 2);
    assert.present(first, 'a store');
    assert.present(second, 'a second store');
    const run = sampleRun();
    for (const [writer, reader, status] of [
      [first, second, 'paused'],
      [second, first, 'running'],
    ] as const) {
      const before = await writer.run(run.run_id);
      await commitSealed(writer, [before === null ? createRun({ ...run, status }) : moveRun(before, status)]);
      assert.equal((await reader.run(run.run_id))?.status, status);
      assert.deepEqual(await reader.head(), await writer.head());
      assert.equal((await reader.countRuns())[status], 1);
    }
  },

  'two instances that write at the same time form one chain without gaps or forks': sealing(2),
  'four instances that write at the same time form one chain without gaps or forks': sealing(4),

  'exactly one of many moves of a run over several instances wins': async (context) => {
    const stores = await replicas(context, 3);
    const run = sampleRun({ status: 'paused' });
    await commitSealed(context.store, [createRun(run)]);
    const decisions = Array.from({ length: 48 }, (_, i) => (i % 2 === 0 ? ('running' as const) : ('denied' as const)));
    const attempts = await Promise.all(decisions.map((status, i) => commitSealed(pick(stores, i), [moveRun(run, status)])));
    const won = decisions.filter((_, i) => attempts[i]?.[0]?.result === 'committed');
    assert.equal(won.length, 1);
    const row = await context.store.run(run.run_id);
    assert.deepEqual([row?.status, row?.version], [won[0], 2]);
    for (const [outcome] of attempts) {
      if (outcome?.result !== 'committed') assert.deepEqual(outcome, { result: 'conflict', current: row });
    }
    assert.equal((await verifiedChain(context.store)).length, 2);
  },

  'stores exactly one of many new runs with the same unique key over several instances': async (context) => {
    const stores = await replicas(context, 3);
    const runs = Array.from({ length: 48 }, () => sampleRun());
    const outcomes = await Promise.all(
      runs.map((run, i) => commitSealed(pick(stores, i), [createRun(run, { unique_key: 'same' })])),
    );
    const winner = runs.find((_, i) => outcomes[i]?.[0]?.result === 'committed');
    assert.present(winner, 'a winner');
    assert.deepEqual(
      outcomes.flat().filter(({ result }) => result !== 'committed'),
      Array.from({ length: 47 }, () => ({ result: 'duplicate', run_id: winner.run_id })),
    );
    assert.equal((await context.store.runs({ limit: 100 })).rows.length, 1);
  },

  'grants exactly 100 of 200 reservations for 100 units over several instances': async (context) => {
    const stores = await replicas(context, 4);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        pick(stores, i).counters.reserve(`${i}`, [hold('other', 1, 1000), hold('a', 1, 100), hold(`own ${i}`, 1, 1)]),
      ),
    );
    assert.deepEqual(
      outcomes.filter((outcome) => !outcome.granted),
      Array.from({ length: 100 }, () => ({ granted: false, key: 'a', used: 100 })),
    );
    for (const store of stores) assert.deepEqual(await store.counters.read(['a', 'other']), [100, 100]);
    const owns = await context.store.counters.read(outcomes.map((_, i) => `own ${i}`));
    assert.deepEqual(
      owns,
      outcomes.map(({ granted }) => (granted ? 1 : 0)),
    );
  },

  'holds a reservation once when several instances request it': async (context) => {
    const stores = await replicas(context, 3);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, i) => pick(stores, i).counters.reserve('same', [hold('a', 1, 1)])),
    );
    assert.ok(
      outcomes.every(({ granted }) => granted),
      'every reservation to be granted',
      outcomes,
    );
    assert.deepEqual(await context.store.counters.read(['a']), [1]);
  },

  'sees settlements of other instances next to its own reservations': async (context) => {
    const stores = await replicas(context, 3);
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const [one, other] = [pick(stores, i), pick(stores, i + 1)];
        assert.deepEqual(await one.counters.reserve(`${i}`, [hold('a', 10, 1000)]), { granted: true });
        const settlements = [{ reservation: `${i}`, spend: [{ key: 'a', amount: 3, expires_at: NEVER }] }];
        const [outcome] = await other.commit([createRun(sampleRun(), { settlements })], []);
        assert.equal(outcome?.result, 'committed');
      }),
    );
    for (const store of stores) assert.deepEqual(await store.counters.read(['a']), [90]);
    assert.equal((await pick(stores, 1).counters.reserve('last', [hold('a', 911, 1000)])).granted, false);
    assert.equal((await pick(stores, 2).counters.reserve('last', [hold('a', 910, 1000)])).granted, true);
  },

  'gives a lease to one holder over several instances': async (context) => {
    const stores = await replicas(context, 3);
    const leases = await Promise.all(
      Array.from({ length: 30 }, (_, i) => pick(stores, i).acquireLease('export', `holder-${i}`, 1000)),
    );
    const held = leases.filter((lease) => lease !== null);
    assert.equal(held.length, 1);
    for (const store of stores) assert.equal(await store.leaseHolder('export'), held[0]?.holder);
  },

  'keeps a lease after the instance that acquired it is closed': async ({ store, another, clock }) => {
    const first = await another();
    const lease = given(await first.acquireLease('export', 'a', 1000));
    await first.close();
    assert.equal(await store.leaseHolder('export'), 'a');
    assert.equal(await store.acquireLease('export', 'b', 1000), null);
    clock.advance(1001);
    assert.greater(given(await store.acquireLease('export', 'b', 1000)).token, lease.token, 'the later token');
  },

  'does not move a cursor with a stale token of another instance': async (context) => {
    const [first, second] = await replicas(context, 2);
    assert.present(first, 'a store');
    assert.present(second, 'a second store');
    const stale = given(await first.acquireLease('export', 'a', 1000));
    assert.equal(await first.moveCursor('jsonl', 5, stale), true);
    context.clock.advance(1001);
    const lease = given(await second.acquireLease('export', 'b', 1000));
    assert.greater(lease.token, stale.token);
    assert.equal(await first.moveCursor('jsonl', 6, stale), false);
    assert.equal(await second.cursor('jsonl'), 5);
    assert.equal(await second.moveCursor('jsonl', 7, lease), true);
    await first.releaseLease(stale);
    assert.equal(await first.leaseHolder('export'), 'b');
    assert.equal(await first.cursor('jsonl'), 7);
  },

  'moves a cursor only for the current holder of the lease while others take it over': async (context) => {
    const stores = await replicas(context, 3);
    let last = 0;
    for (let n = 1; n <= 12; n++) {
      const lease = given(await pick(stores, n).acquireLease('export', `holder-${n}`, 1000));
      const takers = stores.map((store, i) => store.acquireLease('export', `taker-${i}`, 1000));
      const moves = stores.map((store, i) => store.moveCursor('jsonl', n, { ...lease, token: lease.token - i }));
      assert.deepEqual(await Promise.all(takers), [null, null, null]);
      assert.deepEqual(await Promise.all(moves), [true, false, false]);
      assert.greater(lease.token, last, 'the later token');
      last = lease.token;
      context.clock.advance(1001);
    }
    assert.equal(await context.store.cursor('jsonl'), 12);
  },

  'meta: exactly one of many writes over several instances wins': async (context) => {
    const stores = await replicas(context, 3);
    for (const expected of [null, 'first']) {
      const values = Array.from({ length: 30 }, (_, i) => (expected === null ? 'first' : `${i}`));
      const written = await Promise.all(values.map((value, i) => pick(stores, i).writeMeta('id', expected, value)));
      assert.equal(written.filter(Boolean).length, 1);
      for (const store of stores) assert.equal(await store.readMeta('id'), values[written.indexOf(true)]);
    }
  },

  'deletes expired content once when several instances do it': async (context) => {
    const stores = await replicas(context, 3);
    const run = sampleRun();
    const put_content = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, bytes: new Uint8Array([i]), expires_at: 1000 }));
    await context.store.commit([createRun(run, { put_content })], []);
    let gone = 0;
    while (gone < 60) {
      const counts = await Promise.all(stores.map((store) => store.expireContent(1000, 15)));
      gone += counts.reduce((sum, count) => sum + count, 0);
    }
    assert.equal(gone, 60);
    assert.equal(await context.store.eraseContent(run.run_id), 0);
  },

  'keeps one history over several instances': async (context) => {
    const stores = await replicas(context, 3);
    const run = sampleRun();
    await commitSealed(context.store, [createRun(run)]);
    let row = run;
    for (let n = 0; n < 12; n++) {
      const status = n % 2 === 0 ? ('paused' as const) : ('running' as const);
      const attempts = await Promise.all(stores.map((store) => commitSealed(store, [moveRun(row, status)])));
      assert.equal(attempts.filter(([outcome]) => outcome?.result === 'committed').length, 1);
      row = next(row, status);
    }
    assert.equal((await context.store.run(run.run_id))?.version, 13);
    assert.equal((await verifiedChain(context.store)).length, 13);
  },
};
