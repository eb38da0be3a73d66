import { describe, expect, test } from 'vitest';
import { fakeCounters } from './counters.ts';

const hold = (key: string, amount: number, limit: number) => ({ key, amount, limit, expires_at: 0 });

describe('fake counters', () => {
  test('reserve on all keys or none, and name the first one that refuses', async () => {
    const counters = fakeCounters();
    await counters.reserve('run-1', [hold('a', 4, 10)]);
    const refused = await counters.reserve('run-2', [hold('b', 1, 10), hold('a', 7, 10)]);
    expect(refused).toEqual({ granted: false, key: 'a', used: 4 });
    expect(await counters.read(['a', 'b', 'c'])).toEqual([4, 0, 0]);
  });

  test('count the same key twice in one reservation', async () => {
    const counters = fakeCounters();
    expect(await counters.reserve('run-1', [hold('a', 6, 10), hold('a', 6, 10)])).toMatchObject({ granted: false });
    expect(await counters.reserve('run-2', [hold('a', 5, 10), hold('a', 5, 10)])).toEqual({ granted: true });
  });

  test('grant a repeated reservation without reserving twice', async () => {
    const counters = fakeCounters();
    await counters.reserve('run-1', [hold('a', 10, 10)]);
    expect(await counters.reserve('run-1', [hold('a', 10, 10)])).toEqual({ granted: true });
    expect(await counters.read(['a'])).toEqual([10]);
  });

  test('book spend in place of the reservation', async () => {
    const counters = fakeCounters();
    await counters.reserve('run-1', [hold('a', 10, 10)]);
    counters.settle({ reservation: 'run-1', spend: [{ key: 'a', amount: 3, expires_at: 0 }] });
    expect(await counters.read(['a'])).toEqual([3]);
  });
});
