import type { LedgerHead, SealedRecord } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, item, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, sealAll, sealNothing, sealOne, verifiedChain } from './chain.ts';
import type { StoreCases, StoreContext } from './fixture.ts';

async function refuses(store: StoreContext['store'], seal: (head: LedgerHead | null) => readonly SealedRecord[]): Promise<void> {
  const before = await verifiedChain(store);
  const run = sampleRun();
  await assert.rejects(store.commit([createRun(run)], seal));
  assert.equal(await store.run(run.run_id), null);
  assert.deepEqual(await verifiedChain(store), before);
}

export const sealCases: StoreCases = {
  'an empty ledger has no head': async ({ store }) => {
    assert.equal(await store.head(), null);
    assert.deepEqual(await store.records({ since_seq: 0, limit: 10 }), []);
  },

  'is called once, with the head and the indexes of the winners': async ({ store }) => {
    const known = sampleRun();
    await store.commit([createRun(known)], sealNothing);
    const seen: unknown[] = [];
    const changes = [createRun(sampleRun()), createRun(known), createRun(sampleRun())];
    for (let round = 0; round < 2; round++) {
      await store.commit(changes, (head, winners) => {
        seen.push([head?.seq ?? null, [...winners]]);
        return sealAll(winners.map((change) => ({ change })))(head, winners);
      });
      changes.push(createRun(sampleRun()));
    }
    assert.deepEqual(seen, [
      [null, [0, 2]],
      [2, [3]],
    ]);
    assert.equal((await verifiedChain(store)).length, 3);
  },

  'is not called where no change won': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run)], sealNothing);
    const outcomes = await store.commit([createRun(run), moveRun(sampleRun(), 'error')], () => {
      throw assert.failed('nothing to seal, as nothing won', 'a call');
    });
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['conflict', 'conflict'],
    );
  },

  'a commit without changes appends what it seals': async ({ store }) => {
    const inventory = { record_type: 'model_inventory', model_id: 'default' } as const;
    const seen: unknown[] = [];
    const outcomes = await store.commit([], (head, winners) => {
      seen.push([head, winners.length]);
      return sealAll([inventory, inventory])(head, winners);
    });
    assert.deepEqual(outcomes, []);
    assert.deepEqual(seen, [[null, 0]]);
    assert.deepEqual(await store.commit([], sealNothing), []);
    assert.equal((await verifiedChain(store)).length, 2);
  },

  'a winner gets a pointer to its evidence, in the outcome and in the row': async ({ store }) => {
    const [done, going] = [sampleRun(), sampleRun()];
    await store.commit([createRun(done), createRun(going)], sealAll([{ record_type: 'model_inventory' }]));
    const outcomes = await store.commit([moveRun(going, 'running'), moveRun(done, 'completed')], sealAll([{ change: 1 }]));
    const head = await store.head();
    assert.equal(head?.seq, 2);
    assert.deepEqual(outcomes, [
      { result: 'committed', evidence: null },
      { result: 'committed', evidence: head },
    ]);
    const row = await store.run(done.run_id);
    assert.deepEqual(row, next(done, 'completed', { evidence: head }));
    assert.equal((await store.run(going.run_id))?.evidence, null);
    assert.deepEqual(await store.commit([createRun(done)], sealNothing), [{ result: 'conflict', current: row }]);
  },

  'a throw reaches the caller, leaves nothing written and the store usable': async ({ store }) => {
    const run = sampleRun();
    await commitSealed(store, [createRun(run, { put_content: [item('payload', 'old')] })]);
    const failure = new Error('seal failed');
    const other = sampleRun();
    const failing = store.commit(
      [
        moveRun(run, 'completed', {
          drop_content: ['payload'],
          settlements: [{ reservation: 'none', spend: [{ key: 'tokens', amount: 7, expires_at: Number.MAX_SAFE_INTEGER }] }],
        }),
        createRun(other, { unique_key: 'key' }),
      ],
      () => {
        throw failure;
      },
    );
    // Concurrent commits are not affected.
    const beside = commitSealed(store, [createRun(sampleRun())]);
    await assert.rejects(failing, (error) => error === failure);
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

  'records that do not go on from the head are refused': async ({ store }) => {
    await store.commit([], sealAll([{}, {}]));
    await refuses(store, (head) => [sealOne({ seq: (head?.seq ?? 0) + 1, hash: head?.hash ?? '' })]);
    await refuses(store, (head) => [sealOne({ seq: (head?.seq ?? 0) - 1, hash: head?.hash ?? '' })]);
    await refuses(store, (head) => [sealOne(head), sealOne(head)]);
    await refuses(store, () => [sealOne(null)]);
    await refuses(store, (head) => [sealOne({ seq: head?.seq ?? 0, hash: `sha256:${'0'.repeat(64)}` })]);
    await store.commit([], sealAll([{}]));
    assert.equal((await verifiedChain(store)).length, 3);
  },

  'evidence of a change that did not win is refused': async ({ store }) => {
    const known = sampleRun();
    await store.commit([createRun(known)], sealNothing);
    const changes = [createRun(sampleRun()), createRun(known)];
    for (const change of [1, 2]) {
      await assert.rejects(store.commit(changes, sealAll([{ change }])), { name: 'StoreError', code: 'CHAIN' });
    }
    assert.equal(await store.head(), null);
    assert.equal((await store.countRuns()).running, 1);
  },

  'a run that is moved again keeps its evidence': async ({ store }) => {
    const run = sampleRun();
    await commitSealed(store, [createRun(run)]);
    await store.commit([moveRun(run, 'error')], sealNothing);
    const row = await store.run(run.run_id);
    assert.deepEqual([row?.status, row?.evidence], ['error', await store.head()]);
  },

  'bytes come back exactly as they were sealed': async ({ store }) => {
    const texts = [
      '',
      'plain',
      'é ü ß',
      '\u0000\u0001\u001f\u007f',
      '"quoted" \\ /',
      '\u2028\u2029',
      '日本語',
      '😀'.repeat(3),
      'x'.repeat(1_000_000),
    ];
    const sealed: SealedRecord[] = [];
    await store.commit([], (head) => {
      for (const text of texts) sealed.push(sealOne(sealed.at(-1) ?? head, { fields: { text } }));
      return sealed;
    });
    const stored = await store.records({ since_seq: 0, limit: 100 });
    assert.deepEqual(
      stored.map(({ bytes }) => bytes),
      sealed.map(({ bytes }) => bytes),
    );
    assert.deepEqual(await store.recordsBySeq(sealed.map(({ seq }) => seq)), stored);
  },
};
