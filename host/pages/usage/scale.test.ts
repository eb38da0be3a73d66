import fc from 'fast-check';
import { expect, it } from 'vitest';
import { roundUp } from './scale.ts';

it.each([
  [0, 1],
  [1, 1],
  [1.2, 2],
  [21, 25],
  [26, 50],
  [0.0003, 0.0005],
  [900, 1000],
])('rounds %d up to %d', (value, rounded) => expect(roundUp(value)).toBeCloseTo(rounded, 10));

it('is at least the value, and at most 2.5 times as large', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (value) => {
      expect(roundUp(value) / value).toBeGreaterThanOrEqual(1 - 1e-6);
      expect(roundUp(value) / value).toBeLessThanOrEqual(2.5);
    }),
  );
});
