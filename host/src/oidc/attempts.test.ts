import { expect, it } from 'vitest';
import { handClock } from '../http/test-keys.ts';
import { Attempts } from './attempts.ts';

const taken = { code: 'SVC-AUTH-001' };

it('accepts an attempt once, whatever its result, until it expires', async () => {
  const clock = handClock();
  const attempts = new Attempts(clock);
  expect(await attempts.take('a', async () => 'session')).toBe('session');
  const failing = async () => {
    throw new Error('refused');
  };
  await expect(attempts.take('b', failing)).rejects.toThrow('refused');
  for (const state of ['a', 'b']) await expect(attempts.take(state, expect.unreachable)).rejects.toMatchObject(taken);
  clock.advance(600_000);
  await expect(attempts.take('a', expect.unreachable)).rejects.toMatchObject(taken);
  clock.advance(1);
  await attempts.take('c', async () => null);
  expect(await attempts.take('a', async () => 'again')).toBe('again');
});

it('allows few open attempts, and another one once there is room', async () => {
  const attempts = new Attempts(handClock());
  const { promise, resolve } = Promise.withResolvers<void>();
  const under_way = Array.from({ length: 32 }, (_, n) => attempts.take(String(n), () => promise));
  await expect(attempts.take('late', expect.unreachable)).rejects.toMatchObject({ code: 'SVC-BUSY-001' });
  resolve();
  await Promise.all(under_way);
  expect(await attempts.take('late', async () => 'session')).toBe('session');
});

it('remembers a limited number', async () => {
  const attempts = new Attempts(handClock());
  for (let n = 0; n <= 10_000; n += 1) await attempts.take(String(n), async () => null);
  await expect(attempts.take('1', expect.unreachable)).rejects.toMatchObject(taken);
  expect(await attempts.take('0', async () => 'forgotten')).toBe('forgotten');
});
