import { createRun, fakeClock, sampleRun } from '@svc/sdk/testing';
import { type Key, open } from 'lmdb';
import { expect, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

test('expired reservations do not count, however many wait to be removed', async () => {
  const { folder, remove } = temporaryFolder();
  const clock = fakeClock();
  const store = await openStore(folder, clock);
  const end = clock.now() + 1000;
  const hold = (key: string, expires_at: number) => [{ key, amount: 100, limit: 100, expires_at }];
  for (let i = 0; i < 50; i++) await store.counters.reserve(`early-${i}`, hold(`early-${i}`, end - 1));
  await store.counters.reserve('one', hold('a', end));
  clock.advance(1001);
  expect(await store.counters.read(['a', 'early-49'])).toEqual([0, 0]);
  expect(await store.counters.reserve('two', hold('a', end + 5000))).toEqual({ granted: true });
  await store.commit([createRun(sampleRun(), { settlements: [{ reservation: 'one', spend: [] }] })], []);
  expect(await store.counters.read(['a'])).toEqual([100]);
  expect(await store.counters.reserve('early-49', hold('early-49', end + 5000))).toEqual({ granted: true });
  await store.close();
  remove();
});

test('each reservation removes some expired ones, so that they do not accumulate', async () => {
  const { folder, remove } = temporaryFolder();
  const clock = fakeClock();
  const store = await openStore(folder, clock);
  for (let i = 0; i < 200; i++) {
    await store.counters.reserve(`${i}`, [{ key: `key-${i}`, amount: 1, limit: 1, expires_at: clock.now() }]);
    clock.advance(1);
  }
  await store.close();
  const raw = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  const state = raw.openDB<string, Key[]>('state', { encoding: 'string' });
  // A counter, a reservation, and the expiry of each.
  expect(state.getKeysCount()).toBeLessThanOrEqual(4);
  await raw.close();
  remove();
});
