import type { CounterHold, CounterSettlement, Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, moveRun, next, sampleRun } from './builders.ts';
import type { StoreCases } from './fixture.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const granted = { granted: true };

function hold(key: string, amount: number, limit: number, expires_at = NEVER): CounterHold {
  return { key, amount, limit, expires_at };
}

/** Commits a run that ends with this settlement. */
async function settle(store: Store, ...settlements: CounterSettlement[]): Promise<void> {
  const [outcome] = await store.commit([createRun(sampleRun({ status: 'completed' }), { settlements })], []);
  assert.equal(outcome?.result, 'committed');
}

function spend(key: string, amount: number, expires_at = NEVER) {
  return { key, amount, expires_at };
}

export const counterCases: StoreCases = {
  'reads 0 for an unknown counter': async ({ store }) => {
    assert.deepEqual(await store.counters.read(['a', 'b']), [0, 0]);
    assert.deepEqual(await store.counters.read([]), []);
  },

  'grants a reservation up to the limit and not beyond': async ({ store }) => {
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 60, 100)]), granted);
    assert.deepEqual(await store.counters.reserve('2', [hold('a', 41, 100)]), { granted: false, key: 'a', used: 60 });
    assert.deepEqual(await store.counters.reserve('3', [hold('a', 40, 100)]), granted);
    assert.deepEqual(await store.counters.reserve('4', [hold('a', 0, 100)]), granted);
    assert.deepEqual(await store.counters.reserve('5', [hold('a', 1, 100)]), { granted: false, key: 'a', used: 100 });
    assert.deepEqual(await store.counters.read(['a']), [100]);
  },

  'grants all holds of a reservation or none, and names the first that was refused': async ({ store }) => {
    await store.counters.reserve('1', [hold('b', 5, 10), hold('c', 9, 10)]);
    assert.deepEqual(await store.counters.reserve('2', [hold('a', 1, 10), hold('b', 6, 10), hold('c', 6, 10)]), {
      granted: false,
      key: 'b',
      used: 5,
    });
    assert.deepEqual(await store.counters.read(['a', 'b', 'c']), [0, 5, 9]);
    assert.deepEqual(await store.counters.reserve('2', [hold('a', 1, 10), hold('b', 5, 10), hold('c', 1, 10)]), granted);
    assert.deepEqual(await store.counters.read(['c', 'a', 'b', 'a']), [10, 1, 10, 1]);
  },

  'counts a counter twice if a reservation lists it twice': async ({ store }) => {
    assert.equal((await store.counters.reserve('1', [hold('a', 6, 10), hold('a', 6, 10)])).granted, false);
    assert.deepEqual(await store.counters.read(['a']), [0]);
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 4, 10), hold('a', 6, 10)]), granted);
    assert.deepEqual(await store.counters.read(['a']), [10]);
    await settle(store, { reservation: '1', spend: [spend('a', 1), spend('a', 2)] });
    assert.deepEqual(await store.counters.read(['a']), [3]);
  },

  'grants a repeated reservation without counting it again': async ({ store }) => {
    await store.counters.reserve('1', [hold('a', 60, 100)]);
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 60, 100)]), granted);
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 500, 100), hold('b', 1, 1)]), granted);
    assert.deepEqual(await store.counters.read(['a', 'b']), [60, 0]);
    const twice = await Promise.all(Array.from({ length: 20 }, () => store.counters.reserve('2', [hold('c', 1, 5)])));
    assert.deepEqual(new Set(twice.map((outcome) => outcome.granted)), new Set([true]));
    assert.deepEqual(await store.counters.read(['c']), [1]);
  },

  'grants exactly 100 of 200 concurrent reservations for 100 units': async ({ store }) => {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => store.counters.reserve(`${i}`, [hold('other', 1, 1000), hold('a', 1, 100)])),
    );
    const refused = outcomes.filter((outcome) => !outcome.granted);
    assert.deepEqual(
      refused,
      Array.from({ length: 100 }, () => ({ granted: false, key: 'a', used: 100 })),
    );
    assert.deepEqual(await store.counters.read(['a', 'other']), [100, 100]);
  },

  'settling releases the hold and adds the spend': async ({ store }) => {
    await store.counters.reserve('1', [hold('a', 60, 100), hold('b', 10, 100)]);
    await store.counters.reserve('2', [hold('a', 30, 100)]);
    await settle(store, { reservation: '1', spend: [spend('a', 25), spend('b', 12), spend('c', 3)] });
    assert.deepEqual(await store.counters.read(['a', 'b', 'c']), [55, 12, 3]);
    await settle(store, { reservation: '2', spend: [] });
    assert.deepEqual(await store.counters.read(['a']), [25]);
    assert.deepEqual(await store.counters.reserve('3', [hold('a', 76, 100)]), { granted: false, key: 'a', used: 25 });
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 75, 100)]), granted, 'allows a settled id to be used again');
  },

  'allows spend above the limit': async ({ store }) => {
    await store.counters.reserve('1', [hold('a', 10, 100)]);
    await settle(store, { reservation: '1', spend: [spend('a', 130)] });
    assert.deepEqual(await store.counters.read(['a']), [130]);
    assert.deepEqual(await store.counters.reserve('2', [hold('a', 0, 100)]), { granted: false, key: 'a', used: 130 });
  },

  'settling twice releases a hold once; settling an unknown reservation still adds the spend': async ({ store }) => {
    await store.counters.reserve('1', [hold('a', 10, 100)]);
    await store.counters.reserve('2', [hold('a', 10, 100)]);
    await settle(store, { reservation: '1', spend: [spend('a', 1)] }, { reservation: '1', spend: [spend('a', 2)] });
    await settle(store, { reservation: '1', spend: [spend('a', 4)] }, { reservation: 'none', spend: [spend('a', 8)] });
    assert.deepEqual(await store.counters.read(['a']), [25]);
  },

  'applies a settlement only together with its change': async ({ store }) => {
    const run = sampleRun();
    await store.counters.reserve('1', [hold('a', 10, 100)]);
    await store.commit([createRun(run)], []);
    const settlements = [{ reservation: '1', spend: [spend('a', 3)] }];
    const stale = moveRun(next(run, 'running'), 'error', { settlements });
    const outcomes = await store.commit(
      [moveRun(run, 'completed', { settlements }), stale, moveRun(run, 'error', { settlements })],
      [],
    );
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['committed', 'conflict', 'conflict'],
    );
    assert.deepEqual(await store.counters.read(['a']), [3]);
  },

  'releases a hold when its period ends': async ({ store, clock }) => {
    const end = clock.now() + 1000;
    assert.deepEqual(await store.counters.reserve('1', [hold('a', 100, 100, end)]), granted);
    assert.equal((await store.counters.reserve('2', [hold('a', 1, 100, end)])).granted, false);
    clock.advance(1001);
    assert.deepEqual(await store.counters.reserve('3', [hold('a', 100, 100, end + 5000)]), granted);
    // Dropping the old reservation does not affect the new one.
    await settle(store, { reservation: '1', spend: [] });
    assert.deepEqual(await store.counters.read(['a']), [100]);
    assert.deepEqual(await store.counters.reserve('1', [hold('b', 1, 1, end + 5000)]), granted);
    assert.deepEqual(await store.counters.read(['b']), [1]);
  },

  'keeps a reservation over two periods until the longer one ends': async ({ store, clock }) => {
    const [day, month] = [clock.now() + 1000, clock.now() + 30_000];
    await store.counters.reserve('1', [hold('day/1', 10, 100, day), hold('month', 10, 100, month)]);
    clock.advance(1001);
    await store.counters.reserve('2', [hold('day/2', 5, 100, day + 1000), hold('month', 5, 100, month)]);
    assert.deepEqual(await store.counters.read(['day/2', 'month']), [5, 15]);
    await settle(store, { reservation: '1', spend: [spend('day/2', 7, day + 1000), spend('month', 7, month)] });
    assert.deepEqual(await store.counters.read(['day/2', 'month']), [12, 12]);
  },
};
