import type { LedgerEntry } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, item, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, placedAfter, type RecordFields, unplaced, verifiedChain } from './chain.ts';
import type { StoreCases } from './fixture.ts';

/** The records as they must be stored in an empty ledger. */
function chainOf(records: readonly RecordFields[]): LedgerEntry[] {
  const placed: LedgerEntry[] = [];
  for (const record of records) placed.push(placedAfter(placed.at(-1) ?? null, record));
  return placed;
}

export const sealCases: StoreCases = {
  'has no head in an empty ledger': async ({ store }) => {
    assert.equal(await store.head(), null);
    assert.deepEqual(await store.records({ since_seq: 0, limit: 10 }), []);
  },

  'appends the records of successful changes in order, and none of failed ones': async ({ store }) => {
    const known = sampleRun();
    await store.commit([createRun(known)], []);
    const kinds: RecordFields[] = [
      { fields: { n: 'of none' } },
      { change: 2, fields: { n: 'third' } },
      { change: 1, fields: { n: 'lost' } },
      { change: 0, fields: { n: 'first' } },
    ];
    const changes = [createRun(sampleRun()), createRun(known), createRun(sampleRun())];
    const outcomes = await store.commit(changes, kinds.map(unplaced));
    const [, third, first] = chainOf(kinds.filter(({ change }) => change !== 1));
    assert.present(first, 'a record');
    assert.present(third, 'a record');
    assert.deepEqual(
      outcomes.map((outcome) => outcome.result === 'committed' && outcome.evidence),
      [{ seq: 3, hash: first.hash }, false, { seq: 2, hash: third.hash }],
    );
    assert.deepEqual(
      (await verifiedChain(store)).map(({ bytes }) => JSON.parse(bytes).n),
      ['of none', 'third', 'first'],
    );
  },

  'appends no records if no change succeeds': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run)], []);
    const outcomes = await commitSealed(store, [createRun(run), moveRun(sampleRun(), 'error')]);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['conflict', 'conflict'],
    );
    assert.equal(await store.head(), null);
  },

  'appends the records of a commit without changes': async ({ store }) => {
    const inventory = unplaced({ record_type: 'model_inventory', model_id: 'default' });
    assert.deepEqual(await store.commit([], [inventory, inventory]), []);
    assert.deepEqual(await store.commit([], []), []);
    assert.equal((await verifiedChain(store)).length, 2);
  },

  'returns the place of the evidence in the outcome and in the row': async ({ store }) => {
    const [done, going] = [sampleRun(), sampleRun()];
    await store.commit([createRun(done), createRun(going)], [unplaced({ record_type: 'model_inventory' })]);
    const outcomes = await store.commit([moveRun(going, 'running'), moveRun(done, 'completed')], [unplaced({ change: 1 })]);
    const head = await store.head();
    assert.equal(head?.seq, 2);
    assert.deepEqual(outcomes, [
      { result: 'committed', evidence: null },
      { result: 'committed', evidence: head },
    ]);
    const row = await store.run(done.run_id);
    assert.deepEqual(row, next(done, 'completed', { evidence: head }));
    assert.equal((await store.run(going.run_id))?.evidence, null);
    assert.deepEqual(await store.commit([createRun(done)], []), [{ result: 'conflict', current: row }]);
  },

  'rejects a record of a change that is not in the commit, writes nothing, and keeps working': async ({ store }) => {
    const run = sampleRun();
    await commitSealed(store, [createRun(run, { put_content: [item('payload', 'old')] })]);
    const other = sampleRun();
    const failing = store.commit(
      [
        moveRun(run, 'completed', {
          drop_content: ['payload'],
          settlements: [{ reservation: 'none', spend: [{ key: 'tokens', amount: 7, expires_at: Number.MAX_SAFE_INTEGER }] }],
        }),
        createRun(other, { unique_key: 'key' }),
      ],
      [unplaced({ change: 0 }), unplaced({ change: 2 })],
    );
    // A concurrent commit, which must not be affected.
    const beside = commitSealed(store, [createRun(sampleRun())]);
    await assert.rejects(failing, { name: 'StoreError', code: 'CHAIN' });
    assert.equal((await beside)[0]?.result, 'committed');
    assert.equal((await store.run(run.run_id))?.status, 'running');
    assert.equal(await store.run(other.run_id), null);
    assert.present(await store.content(run.run_id, 'payload'), 'the payload');
    assert.deepEqual(await store.counters.read(['tokens']), [0]);
    assert.equal((await verifiedChain(store)).length, 2);
    const again = await commitSealed(store, [moveRun(run, 'completed'), createRun(sampleRun(), { unique_key: 'key' })]);
    assert.deepEqual(
      again.map(({ result }) => result),
      ['committed', 'committed'],
    );
    assert.equal((await verifiedChain(store)).length, 4);
  },

  'keeps the evidence of a run that is moved again': async ({ store }) => {
    const run = sampleRun();
    await commitSealed(store, [createRun(run)]);
    await store.commit([moveRun(run, 'error')], []);
    const row = await store.run(run.run_id);
    assert.deepEqual([row?.status, row?.evidence], ['error', await store.head()]);
  },

  'stores records in canonical form with all fields': async ({ store }) => {
    const texts = [
      '',
      'plain',
      'é ü ß',
      '\u0000\u0001\u001f\u007f',
      '"quoted" \\ /',
      '"hash":"","prev_hash":"","seq":1',
      '\u2028\u2029',
      '日本語',
      '😀'.repeat(3),
      'x'.repeat(1_000_000),
    ];
    // Names that sort before, between and after the three chain fields.
    const kinds = texts.map((text): RecordFields => ({ fields: { a: text, i: text, q: text, z: text } }));
    await store.commit([], kinds.map(unplaced));
    const stored = await store.records({ since_seq: 0, limit: 100 });
    const placed = chainOf(kinds);
    assert.deepEqual(
      stored.map(({ bytes }) => bytes),
      placed.map(({ bytes }) => bytes),
    );
    assert.deepEqual(await store.recordsBySeq(placed.map(({ seq }) => seq)), stored);
  },
};
