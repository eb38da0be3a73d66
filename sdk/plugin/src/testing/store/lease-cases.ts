import type { Lease } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { StoreCases } from './fixture.ts';

function given(lease: Lease | null): Lease {
  assert.present(lease, 'a lease');
  return lease;
}

export const leaseCases: StoreCases = {
  'gives a lease to one holder at a time': async ({ store }) => {
    assert.equal(await store.leaseHolder('export'), null);
    const lease = given(await store.acquireLease('export', 'a', 1000));
    assert.equal(lease.name, 'export');
    assert.equal(lease.holder, 'a');
    assert.equal(await store.acquireLease('export', 'b', 1000), null);
    assert.equal(await store.leaseHolder('export'), 'a');
    assert.present(await store.acquireLease('other', 'b', 1000), 'a lease of another name');
  },

  'gives a lease to exactly one of many concurrent requests': async ({ store }) => {
    const leases = await Promise.all(Array.from({ length: 30 }, (_, i) => store.acquireLease('export', `holder-${i}`, 1000)));
    const winners = leases.filter((lease) => lease !== null);
    assert.equal(winners.length, 1);
    assert.equal(await store.leaseHolder('export'), winners[0]?.holder);
  },

  'renews a lease with the same token and a later expiry': async ({ store, clock }) => {
    const lease = given(await store.acquireLease('export', 'a', 1000));
    clock.advance(900);
    assert.deepEqual(await store.acquireLease('export', 'a', 1000), lease);
    clock.advance(900);
    assert.equal(await store.acquireLease('export', 'b', 1000), null);
    assert.equal(await store.leaseHolder('export'), 'a');
  },

  'lets another holder take over an expired lease, with a greater token': async ({ store, clock }) => {
    const first = given(await store.acquireLease('export', 'a', 1000));
    clock.advance(1001);
    assert.equal(await store.leaseHolder('export'), null);
    const second = given(await store.acquireLease('export', 'b', 1000));
    assert.greater(second.token, first.token);
    assert.equal(await store.acquireLease('export', 'a', 1000), null);
    clock.advance(1001);
    const third = given(await store.acquireLease('export', 'a', 1000));
    assert.greater(third.token, second.token);
  },

  'frees a released lease at once, with a greater token for the next holder': async ({ store }) => {
    const first = given(await store.acquireLease('export', 'a', 1000));
    await store.releaseLease(first);
    assert.equal(await store.leaseHolder('export'), null);
    const second = given(await store.acquireLease('export', 'b', 1000));
    assert.greater(second.token, first.token);
    await store.releaseLease(first);
    assert.equal(await store.leaseHolder('export'), 'b', 'ignores the release of a stale lease');
  },

  'deletes long expired leases by the prefix of their names': async ({ store, clock }) => {
    for (const name of ['live/a', 'live/b', 'lively', 'export']) given(await store.acquireLease(name, 'a', 1000));
    await store.releaseLease(given(await store.acquireLease('live/let go', 'a', 1000)));
    clock.advance(50_000);
    given(await store.acquireLease('live/b', 'a', 1000));
    assert.equal(await store.forgetLeases('live/', 100_000), 0, 'leases that expired recently');
    clock.advance(60_000);
    assert.equal(await store.forgetLeases('live/', 100_000), 2);
    assert.equal(await store.forgetLeases('live/', 100_000), 0);
    const tokens = ['live/a', 'live/b', 'lively', 'export'].map(
      async (name) => given(await store.acquireLease(name, 'b', 1000)).token,
    );
    assert.deepEqual(await Promise.all(tokens), [1, 3, 2, 2], 'growing tokens of the other leases');
  },

  'has a clock that advances': async ({ store, clock }) => {
    const before = await store.now();
    assert.ok(Number.isSafeInteger(before), 'whole milliseconds', before);
    clock.advance(60_000);
    assert.atLeast(await store.now(), before + 60_000, 'the time');
  },

  'a cursor is 0 until it is moved': async ({ store }) => {
    assert.equal(await store.cursor('jsonl'), 0);
    const lease = given(await store.acquireLease('export', 'a', 1000));
    assert.equal(await store.moveCursor('jsonl', 5, lease), true);
    assert.equal(await store.moveCursor('siem', 7, lease), true);
    assert.equal(await store.moveCursor('jsonl', 9, lease), true);
    assert.deepEqual([await store.cursor('jsonl'), await store.cursor('siem'), await store.cursor('none')], [9, 7, 0]);
  },

  'does not move a cursor with a stale token': async ({ store, clock }) => {
    const stale = given(await store.acquireLease('export', 'a', 1000));
    assert.equal(await store.moveCursor('jsonl', 5, stale), true);
    clock.advance(1001);
    const lease = given(await store.acquireLease('export', 'b', 1000));
    assert.equal(await store.moveCursor('jsonl', 6, stale), false);
    assert.equal(await store.cursor('jsonl'), 5);
    assert.equal(await store.moveCursor('jsonl', 7, lease), true);
    assert.equal(await store.moveCursor('jsonl', 8, { ...lease, name: 'never acquired' }), false);
    assert.equal(await store.cursor('jsonl'), 7);
  },

  'meta: is null until written, then compare-and-set': async ({ store }) => {
    assert.equal(await store.readMeta('id'), null);
    assert.equal(await store.writeMeta('id', 'x', 'a'), false);
    assert.equal(await store.writeMeta('id', null, 'a'), true);
    assert.equal(await store.writeMeta('id', null, 'b'), false);
    assert.equal(await store.writeMeta('id', 'b', 'c'), false);
    assert.equal(await store.readMeta('id'), 'a');
    assert.equal(await store.writeMeta('id', 'a', ''), true);
    assert.equal(await store.readMeta('id'), '');
    assert.equal(await store.writeMeta('id', '', 'é😀\n'.repeat(5000)), true);
    assert.equal(await store.readMeta('id'), 'é😀\n'.repeat(5000));
    assert.equal(await store.readMeta('other'), null);
  },

  'meta: exactly one of many concurrent writes wins': async ({ store }) => {
    const written = await Promise.all(Array.from({ length: 30 }, (_, i) => store.writeMeta('id', null, `${i}`)));
    assert.equal(written.filter(Boolean).length, 1);
    assert.equal(await store.readMeta('id'), `${written.indexOf(true)}`);
  },
};
