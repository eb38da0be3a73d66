import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('doubles the wait each time a worker exits early, up to 30 s, and does not wait after a worker that ran for a minute', () => {
  const backoff = new Backoff();
  const soon = Array.from({ length: 10 }, () => backoff.waitAfter(0));
  expect(soon).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(backoff.waitAfter(60_000)).toBe(0);
  expect(backoff.waitAfter(59_999)).toBe(250);
});

it('never waits longer than 30 s, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(120_000), { minLength: 1, maxLength: 2000 }), (served) => {
      const backoff = new Backoff();
      for (const ms of served) {
        const wait = backoff.waitAfter(ms);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(30_000);
      }
    }),
  );
});
