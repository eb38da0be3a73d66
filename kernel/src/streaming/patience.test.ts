import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { ENV } from '../pipeline/test-parts.ts';
import { Patience } from './patience.ts';

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
