import { expect, it } from 'vitest';
import { shareOf } from './wilson.ts';

/** R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I, method 3. */
it.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('%i of %i is between %d and %d', (runs, of, low, high) => {
  const share = shareOf(runs, of);
  expect(share).toMatchObject({ runs, of, rate: expect.closeTo(runs / of, 5) });
  expect([share.low, share.high]).toEqual([expect.closeTo(low, 4), expect.closeTo(high, 4)]);
});

it('stays within the range, contains the rate, and narrows with more runs', () => {
  let wider = 1;
  for (const of of [1, 10, 100, 10_000, 10_000_000]) {
    for (const runs of [0, 1, of - 1, of]) {
      const { rate, low, high } = shareOf(runs, of) as { rate: number; low: number; high: number };
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low <= rate && rate <= high).toBe(true);
    }
    const { low, high } = shareOf(0, of);
    expect(Number(high) - Number(low)).toBeLessThan(wider);
    wider = Number(high) - Number(low);
  }
});

it('says nothing of no runs', () => {
  expect(shareOf(0, 0)).toEqual({ runs: 0, of: 0, rate: null, low: null, high: null });
});
