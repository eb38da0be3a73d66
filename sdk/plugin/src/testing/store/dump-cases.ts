import type { DumpItem, Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { at, createRun, item, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, placedAfter, unplaced, verifiedChain } from './chain.ts';
import type { StoreCases } from './fixture.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
/** Longer than any test takes, because databases have clocks of their own. */
const LONG_MS = 3_600_000;

/** Everything in the store, in an order that does not depend on the store. */
async function everything(store: Store): Promise<DumpItem[]> {
  const items: { readonly key: string; readonly item: DumpItem }[] = [];
  for await (const item of store.dump()) items.push({ key: JSON.stringify(item), item });
  return items.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const [done, paused] = [
  sampleRun({ created_at: at(1), route: 'a', session: 's' }),
  sampleRun({ created_at: at(2), status: 'paused', approvers: ['bob'], expires_at: at(9) }),
];

/** At least one item of each kind. */
async function fill(store: Store): Promise<void> {
  await store.commit([], [unplaced({ record_type: 'model_inventory', model_id: 'a' }), unplaced({ model_id: 'é😀' })]);
  await store.counters.reserve('kept', [
    { key: 'day', amount: 10, limit: 15, expires_at: NEVER },
    { key: 'month', amount: 10, limit: 50, expires_at: NEVER },
  ]);
  await commitSealed(store, [createRun(done, { unique_key: 'alice key' })]);
  await commitSealed(store, [
    moveRun(done, 'completed', {
      put_content: [item('response', 'answer', 1000), item('kept', 'k'), item('empty', '')],
      settlements: [{ reservation: 'none', spend: [{ key: 'month', amount: 7, expires_at: NEVER }] }],
    }),
  ]);
  await store.commit([createRun(paused, { put_content: [item('payload', '\u0000é😀')] })], []);
  const lease = await store.acquireLease('export', 'a', LONG_MS);
  assert.present(lease, 'a lease');
  await store.moveCursor('jsonl', 3, lease);
  await store.writeMeta('id', null, 'é😀\n');
}

/** Records of three models, more than are read or written at once. */
async function fillMany(store: Store): Promise<void> {
  for (let n = 0; n < 1500; n += 250) {
    const runs = Array.from({ length: 250 }, (_, i) => sampleRun({ created_at: at(n + i), route: `model-${i % 3}` }));
    await commitSealed(
      store,
      runs.map((run, i) => createRun(run, { put_content: [item('payload', `${n + i}`)], unique_key: `${n + i}` })),
    );
  }
}

export const dumpCases: StoreCases = {
  'writes nothing for an empty commit': async ({ store, empty }) => {
    await store.commit([], []);
    assert.deepEqual(await everything(store), []);
    assert.deepEqual((await store.runs({ limit: 10 })).rows, []);
    await fill(store);
    const before = await everything(store);
    for (let n = 0; n < 3; n += 1) assert.deepEqual(await store.commit([], []), []);
    assert.deepEqual(await everything(store), before);
    const { store: copy } = await empty();
    await copy.commit([], []);
    await copy.load(each(before));
    assert.deepEqual(await everything(copy), before);
  },

  'dumps nothing from an empty store, and loads that': async ({ store, empty }) => {
    assert.deepEqual(await everything(store), []);
    const { store: copy } = await empty();
    await copy.load(store.dump());
    assert.equal(await copy.head(), null);
    assert.equal((await commitSealed(copy, [createRun(sampleRun())]))[0]?.result, 'committed');
  },

  'a copy dumps the same as its source, also after a restart': async ({ store, empty }) => {
    await fill(store);
    await fillMany(store);
    const fixture = await empty();
    await fixture.store.load(store.dump());
    const wanted = await everything(store);
    assert.deepEqual(await everything(fixture.store), wanted);
    assert.deepEqual(await everything(await fixture.reopen()), wanted);
    const kinds = new Set(wanted.map(({ kind }) => kind));
    assert.equal(kinds.size, 10);
  },

  'dumps the records first, in order': async ({ store }) => {
    await fill(store);
    const kinds: string[] = [];
    const seqs: number[] = [];
    for await (const found of store.dump()) {
      kinds.push(found.kind);
      if (found.kind === 'record') seqs.push(found.record.seq);
    }
    assert.deepEqual(seqs, [1, 2, 3, 4]);
    assert.equal(kinds.lastIndexOf('record'), 3);
  },

  'reports the number of items before the first one': async ({ store }) => {
    const told: unknown[] = [];
    for await (const _ of store.dump((totals) => told.push(totals))) throw assert.failed('nothing in it', 'an item');
    assert.deepEqual<unknown>(told, [{ head: null, runs: await store.countRuns() }]);
    await fill(store);
    const [head, runs] = [await store.head(), await store.countRuns()];
    assert.deepEqual([head?.seq, runs.completed], [4, 1]);
    let before: unknown = null;
    for await (const found of store.dump((totals) => told.push(totals))) before ??= [told.length, found.kind];
    assert.deepEqual([before, told[1]], [[2, 'record'], { head, runs }]);
  },

  'a copy answers queries like its source': async ({ store, empty }) => {
    await fill(store);
    const { store: copy } = await empty();
    await copy.load(store.dump());
    const answers = async (of: Store) => [
      await of.runs({ limit: 10 }),
      await of.runs({ limit: 10, route: 'a' }),
      await of.runs({ limit: 10, status: ['paused'], principal: 'alice' }),
      await of.countRuns(),
      await of.head(),
      await verifiedChain(of),
      await of.records({ since_seq: 0, limit: 10, model_id: 'é😀' }),
      await of.records({ since_seq: 0, limit: 10, record_type: 'model_inventory' }),
      await of.content(done.run_id, 'empty'),
      await of.content(paused.run_id, 'payload'),
      await of.counters.read(['day', 'month']),
      await of.cursor('jsonl'),
      await of.readMeta('id'),
    ];
    assert.deepEqual(await answers(copy), await answers(store));
    assert.deepEqual(await copy.counters.read(['day', 'month']), [10, 17]);
  },

  'a copy continues where its source stopped': async ({ store, empty }) => {
    await fill(store);
    const { store: copy } = await empty();
    await copy.load(store.dump());
    const [duplicate] = await commitSealed(copy, [createRun(sampleRun(), { unique_key: 'alice key' })]);
    assert.deepEqual(duplicate, { result: 'duplicate', run_id: done.run_id });
    const held = [{ key: 'day', amount: 10, limit: 15, expires_at: NEVER }];
    assert.deepEqual(await copy.counters.reserve('kept', held), { granted: true });
    assert.deepEqual(await copy.counters.reserve('new', held), { granted: false, key: 'day', used: 10 });
    const [stale_move] = await commitSealed(copy, [moveRun(next(paused, 'paused'), 'denied')]);
    assert.deepEqual(stale_move, { result: 'conflict', current: paused });
    const settlements = [{ reservation: 'kept', spend: [{ key: 'day', amount: 3, expires_at: NEVER }] }];
    const [ended] = await commitSealed(copy, [moveRun(paused, 'denied', { settlements, drop_content: ['payload'] })]);
    assert.equal(ended?.result === 'committed' && ended.evidence?.seq, 5);
    assert.deepEqual(await copy.counters.read(['day', 'month']), [3, 7]);
    assert.equal((await verifiedChain(copy)).length, 5);
    assert.equal((await copy.countRuns()).paused, 0);
    assert.deepEqual((await copy.runs({ limit: 10, status: ['paused'] })).rows, []);
    assert.equal(await copy.expireContent(1000, 10), 1);
    assert.equal(await copy.content(done.run_id, 'response'), null);
    // The holder is not copied, so an earlier holder's lease counts as stale.
    assert.equal(await copy.leaseHolder('export'), null);
    const stale = await store.acquireLease('export', 'a', LONG_MS);
    const lease = await copy.acquireLease('export', 'b', 1000);
    assert.present(lease, 'a lease');
    assert.present(stale, 'a lease');
    assert.greater(lease.token, stale.token, 'the later token');
    assert.equal(await copy.moveCursor('jsonl', 9, stale), false);
  },

  'dumps a snapshot: later writes are not in it': async ({ store, empty }) => {
    await fill(store);
    await fillMany(store);
    const before = await everything(store);
    const { store: copy } = await empty();
    async function* disturbed(): AsyncGenerator<DumpItem> {
      let n = 0;
      for await (const found of store.dump()) {
        yield found;
        if (n++ % 500 !== 0) continue;
        await commitSealed(store, [createRun(sampleRun(), { unique_key: `late ${n}` })]);
        await store.counters.reserve(`late ${n}`, [{ key: 'day', amount: 0, limit: 15, expires_at: NEVER }]);
      }
    }
    await copy.load(disturbed());
    assert.deepEqual(await everything(copy), before);
    assert.greater((await everything(store)).length, before.length, 'items');
  },

  'refuses to load into a store that is not empty, and keeps its data': async ({ store, empty }) => {
    await fill(store);
    const { store: source } = await empty();
    await source.writeMeta('id', null, 'other');
    const before = await everything(store);
    await assert.rejects(store.load(source.dump()), { name: 'StoreError', code: 'NOT_EMPTY' });
    assert.deepEqual(await everything(store), before);
    // A store that has only meta values is not empty either.
    await assert.rejects(source.load(store.dump()), { name: 'StoreError', code: 'NOT_EMPTY' });
    assert.equal(await source.readMeta('id'), 'other');
    assert.equal(await source.head(), null);
  },

  'passes on an error of the source, leaves the store empty, and can be loaded again': async ({ store, empty }) => {
    await fillMany(store);
    const { store: copy, reopen } = await empty();
    const failure = new Error('cut off');
    async function* cut(): AsyncGenerator<DumpItem> {
      let n = 0;
      for await (const found of store.dump()) {
        if (n++ === 2500) throw failure;
        yield found;
      }
    }
    await assert.rejects(copy.load(cut()), (error) => error === failure);
    const again = await reopen();
    assert.deepEqual(await everything(again), []);
    assert.deepEqual(await again.runs({ limit: 10 }), { rows: [], next: null });
    await again.load(store.dump());
    assert.deepEqual(await everything(again), await everything(store));
  },

  'refuses records that do not form a chain': async (context) => {
    const [first, second, other] = [placedAfter(null), placedAfter(placedAfter(null)), placedAfter(null, { model_id: 'other' })];
    let { store } = context;
    for (const records of [[second], [first, first], [other, second]]) {
      const items = records.map((record): DumpItem => ({ kind: 'record', record }));
      await assert.rejects(store.load(each(items)), { name: 'StoreError', code: 'CHAIN' });
      store = await context.reopen();
      assert.equal(await store.head(), null);
    }
  },
};
