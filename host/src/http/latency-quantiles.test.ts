import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LatencyQuantiles } from './latency-quantiles.ts';

it('has no quantiles without durations', () => {
  expect(new LatencyQuantiles().get(0.5)).toBeNull();
});

it('is never below the quantile, and at most 5 % above it', () => {
  const quantile = fc.constantFrom(0.5, 0.95, 1);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 1 }), quantile, (durations, q) => {
      const latencies = new LatencyQuantiles();
      for (const ms of durations) latencies.add(ms);
      const exact = durations.toSorted((a, b) => a - b)[Math.ceil(q * durations.length) - 1] ?? 0;
      const found = latencies.get(q) ?? 0;
      expect(found).toBeGreaterThanOrEqual(exact - 1);
      expect(found).toBeLessThanOrEqual(exact * 1.05 + 1);
    }),
  );
});
