import { getEventListeners } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { ENV } from '../core/test-parts.ts';
import { Patience, type TimeoutError } from './patience.ts';

const never = new Promise<never>(() => undefined);

it('adds up what it waited and ends when that is used up', async () => {
  const patience = new Patience(ENV.clock, 60, new AbortController().signal);
  const later = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, 'there'));
  expect(await patience.wait(later(20))).toBe('there');
  expect(patience.waited_ms).toBeGreaterThan(15);
  await expect(patience.wait(never)).rejects.toMatchObject({ why: 'timeout' });
  expect(patience.waited_ms).toBeGreaterThan(55);
});

it('ends with the run, at once where that has ended', async () => {
  const run = new AbortController();
  const patience = new Patience(ENV.clock, 10_000, run.signal);
  const waiting = patience.wait(never);
  run.abort();
  await expect(waiting).rejects.toMatchObject({ why: 'aborted' });
  await expect(patience.wait(never)).rejects.toMatchObject({ why: 'aborted' });
});

it('rejects as the other side does', async () => {
  const patience = new Patience(ENV.clock, 10_000, new AbortController().signal);
  await expect(patience.wait(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('holds one that drips to the time in all, whichever of its waits is the last', async () => {
  const patience = new Patience(ENV.clock, 60, new AbortController().signal);
  const later = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 10, 'there'));
  const drips = async (): Promise<never> => {
    for (;;) await patience.wait(later());
  };
  await expect(drips()).rejects.toMatchObject({ why: 'timeout' });
  expect(patience.waited_ms).toBeGreaterThan(55);
});

it('does not count the time between, and lets go of the signal', async () => {
  const run = new AbortController();
  const patience = new Patience(ENV.clock, 40, run.signal);
  const later = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, 'there'));
  await patience.wait(later(5));
  await later(60);
  expect(await patience.wait(later(5))).toBe('there');
  expect(getEventListeners(run.signal, 'abort')).toHaveLength(1);
  patience.end();
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
])('with a limit of each wait beside that in all, 1,000 ms: %s', async (_what, waits, outcome) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const patience = new Patience(ENV.clock, 1000, new AbortController().signal);
  const waited = async (): Promise<string> => {
    for (const [limit_ms, takes_ms] of waits)
      await patience.wait(new Promise((resolve) => setTimeout(resolve, takes_ms)), limit_ms);
    return 'there';
  };
  const ended = waited().catch(({ why }: TimeoutError) => why);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ended).toBe(outcome);
  patience.end();
  expect(vi.getTimerCount()).toBe(0);
});

afterEach(() => {
  vi.useRealTimers();
});
