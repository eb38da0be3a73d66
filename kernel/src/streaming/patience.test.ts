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
