import * as assert from '../cases/assert.ts';
import { at, createRun, item, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, unplaced, verifiedChain } from './chain.ts';
import type { StoreCases } from './fixture.ts';

const NEVER = Number.MAX_SAFE_INTEGER;

export const reopenCases: StoreCases = {
  'keeps runs, indexes, counts, content and the ledger across a restart': async ({ store, reopen }) => {
    const [done, paused] = [sampleRun({ created_at: at(1) }), sampleRun({ created_at: at(2), status: 'paused' })];
    await store.commit([], [unplaced({ record_type: 'model_inventory' })]);
    await commitSealed(store, [createRun(done, { unique_key: 'key' })]);
    await commitSealed(store, [
      moveRun(done, 'completed', { put_content: [item('response', 'answer', 1000), item('kept', 'k')] }),
      createRun(paused),
    ]);
    const before = [await store.runs({ limit: 10 }), await store.countRuns(), await store.head(), await verifiedChain(store)];
    const again = await reopen();
    assert.deepEqual(
      [await again.runs({ limit: 10 }), await again.countRuns(), await again.head(), await verifiedChain(again)],
      before,
    );
    assert.deepEqual((await again.runs({ status: ['paused'], limit: 10 })).rows, [await again.run(paused.run_id)]);
    assert.equal((await again.records({ since_seq: 0, limit: 10, record_type: 'model_inventory' })).length, 1);
    const [duplicate] = await commitSealed(again, [createRun(sampleRun(), { unique_key: 'key' })]);
    assert.deepEqual(duplicate, { result: 'duplicate', run_id: done.run_id });
    assert.equal(await again.expireContent(1000, 10), 1);
    assert.present(await again.content(done.run_id, 'kept'), 'the content that is kept');
  },

  'continues the chain after a restart': async ({ store, reopen }) => {
    const run = sampleRun();
    await commitSealed(store, [createRun(run)]);
    const again = await reopen();
    await commitSealed(again, [moveRun(run, 'paused')]);
    const third = await reopen();
    const [outcome] = await commitSealed(third, [moveRun(next(run, 'paused'), 'denied')]);
    assert.equal(outcome?.result === 'committed' && outcome.evidence?.seq, 3);
    assert.equal((await verifiedChain(third)).length, 3);
  },

  'keeps counters and reservations across a restart': async ({ store, reopen }) => {
    const hold = { key: 'a', amount: 10, limit: 15, expires_at: NEVER };
    await store.counters.reserve('1', [hold]);
    const again = await reopen();
    assert.deepEqual(await again.counters.read(['a']), [10]);
    assert.deepEqual(await again.counters.reserve('1', [hold]), { granted: true });
    assert.deepEqual(await again.counters.reserve('2', [hold]), { granted: false, key: 'a', used: 10 });
    const settlements = [{ reservation: '1', spend: [{ key: 'a', amount: 4, expires_at: NEVER }] }];
    await commitSealed(again, [createRun(sampleRun(), { settlements })]);
    assert.deepEqual(await again.counters.read(['a']), [4]);
  },

  'keeps cursors and meta across a restart, and tokens keep growing': async ({ store, clock, reopen }) => {
    const lease = await store.acquireLease('export', 'a', 1000);
    assert.present(lease, 'a lease');
    await store.moveCursor('jsonl', 5, lease);
    await store.writeMeta('id', null, 'x');
    const again = await reopen();
    clock.advance(1001);
    const later = await again.acquireLease('export', 'b', 1000);
    assert.present(later, 'a later lease');
    assert.greater(later.token, lease.token, 'the later token');
    assert.equal(await again.moveCursor('jsonl', 6, lease), false);
    assert.equal(await again.cursor('jsonl'), 5);
    assert.equal(await again.readMeta('id'), 'x');
  },

  'rejects calls on a closed store': async ({ store, reopen }) => {
    const again = await reopen();
    await again.close();
    await again.close();
    await assert.rejects(again.head());
    await assert.rejects(commitSealed(again, [createRun(sampleRun())]));
    await assert.rejects(store.countRuns());
    await assert.rejects(again.dump()[Symbol.asyncIterator]().next());
    await assert.rejects(again.load((async function* () {})()));
  },
};
