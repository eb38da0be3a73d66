import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ENV } from '../test-parts.ts';
import { type TimeoutError, WaitLimits } from './wait-limits.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<never>(() => undefined);
const later = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, 'there'));

/** The result of a wait after this much time. */
async function within<T>(ms: number, waiting: Promise<T>): Promise<T | string> {
  const ended = waiting.catch(({ why }: TimeoutError) => why);
  const open = Symbol('open');
  await vi.advanceTimersByTimeAsync(ms);
  const outcome = await Promise.race([ended, Promise.resolve(open)]);
  return outcome === open ? 'open' : (outcome as T | string);
}

it('adds up its waits and ends when the limit is reached', async () => {
  const limits = new WaitLimits(ENV.clock, 60, new AbortController().signal);
  expect(await within(20, limits.wait(later(20)))).toBe('there');
  expect(limits.waited_ms).toBe(20);
  expect(await within(40, limits.wait(never))).toBe('timeout');
  expect(limits.waited_ms).toBe(60);
});

it('has not ended before the limit is reached', async () => {
  const limits = new WaitLimits(ENV.clock, 60, new AbortController().signal);
  expect(await within(59, limits.wait(never))).toBe('open');
  limits.end();
});

it('ends with the run, at once if that has already ended', async () => {
  const run = new AbortController();
  const limits = new WaitLimits(ENV.clock, 10_000, run.signal);
  const waiting = limits.wait(never);
  run.abort();
  await expect(waiting).rejects.toMatchObject({ why: 'aborted' });
  await expect(limits.wait(never)).rejects.toMatchObject({ why: 'aborted' });
});

it('rejects like the other side', async () => {
  const limits = new WaitLimits(ENV.clock, 10_000, new AbortController().signal);
  await expect(limits.wait(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('limits the total time of slow pieces, whichever wait is the last', async () => {
  const limits = new WaitLimits(ENV.clock, 65, new AbortController().signal);
  const drips = async (): Promise<never> => {
    for (;;) await limits.wait(later(10));
  };
  expect(await within(65, drips())).toBe('timeout');
  expect(limits.waited_ms).toBe(65);
});

it('does not count the time between waits, and releases the signal', async () => {
  const run = new AbortController();
  const limits = new WaitLimits(ENV.clock, 40, run.signal);
  await within(5, limits.wait(later(5)));
  await within(60, later(60));
  expect(await within(5, limits.wait(later(5)))).toBe('there');
  expect(getEventListeners(run.signal, 'abort')).toHaveLength(1);
  limits.end();
  expect(getEventListeners(run.signal, 'abort')).toEqual([]);
});

it.each<[string, readonly [limit_ms: number, takes_ms: number][], 'there' | 'timeout']>([
  ['a wait within its own limit', [[300, 299]], 'there'],
  ['a wait beyond its own limit', [[300, 301]], 'timeout'],
  [
    'a shorter limit than that of the wait before',
    [
      [300, 10],
      [60, 61],
    ],
    'timeout',
  ],
  [
    'a longer limit than that of the wait before',
    [
      [60, 10],
      [300, 299],
    ],
    'there',
  ],
  ['many waits, each within its limit', Array.from({ length: 15 }, () => [60, 59]), 'there'],
  ['many waits, beyond the time in all', Array.from({ length: 18 }, () => [60, 59]), 'timeout'],
])('with a limit for each wait besides the total, 1,000 ms: %s', async (_what, waits, outcome) => {
  const limits = new WaitLimits(ENV.clock, 1000, new AbortController().signal);
  const waited = async (): Promise<string> => {
    for (const [limit_ms, takes_ms] of waits)
      await limits.wait(new Promise((resolve) => setTimeout(resolve, takes_ms)), limit_ms);
    return 'there';
  };
  const ended = waited().catch(({ why }: TimeoutError) => why);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ended).toBe(outcome);
  limits.end();
  expect(vi.getTimerCount()).toBe(0);
});
