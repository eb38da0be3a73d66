import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Prices } from './prices.ts';

const tokens = (input_tokens: number, output_tokens: number, cached_input_tokens = 0) => ({
  input_tokens,
  output_tokens,
  cached_input_tokens,
});

describe('costOf', () => {
  const prices = new Prices({ a: { input: 2.5, output: 10, cached_input: 1.25 }, b: { input: 0.075, output: 0.3 } });

  it.each([
    ['a', tokens(1_000_000, 0), 2_500_000],
    ['a', tokens(1_000_000, 0, 1_000_000), 1_250_000],
    ['a', tokens(1000, 100, 400), 600 * 2.5 + 400 * 1.25 + 1000],
    ['a', tokens(0, 0), 0],
    // A part of a micro-dollar counts as one.
    ['b', tokens(1, 0), 1],
    ['b', tokens(3, 1, 2), 1],
    // More cached than there was: no refund.
    ['a', tokens(10, 0, 999), 13],
    // Whoever lost its price costs as much as the dearest.
    ['gone', tokens(1_000_000, 1_000_000), 12_500_000],
  ])('%s for %o is %d micro-dollars', (model, used, micro) => {
    expect(prices.costOf(model, used)).toBe(micro);
  });

  const counts = fc.nat(10_000_000);
  const price = fc.record({ input: fc.nat(100_000_000), output: fc.nat(100_000_000) });

  it('is an integer, never less than the exact price and less than one more', () => {
    fc.assert(
      fc.property(counts, counts, price, (input, output, { input: a, output: b }) => {
        const cost = new Prices({ m: { input: a / 1e6, output: b / 1e6 } }).costOf('m', tokens(input, output));
        const exact = BigInt(input) * BigInt(a) + BigInt(output) * BigInt(b);
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(BigInt(cost) * 1_000_000n >= exact && BigInt(cost - 1) * 1_000_000n < exact).toBe(true);
      }),
    );
  });
});
