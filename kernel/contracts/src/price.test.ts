import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { TokenUsage } from './chat.ts';
import { costOf, type Price, type Rates, type TimedRates } from './price.ts';

const usage = (input_tokens: number, output_tokens: number, parts: Partial<TokenUsage> = {}): TokenUsage => {
  return { input_tokens, output_tokens, cached_input_tokens: 0, estimated: false, ...parts };
};
const priceOf = (...rates: [TimedRates, ...TimedRates[]]): Price => ({ source: 'configuration', rates });
const M = 1_000_000;

describe('a call costs', () => {
  const plain: Rates = { input: 3, output: 15 };
  const full: Rates = {
    ...plain,
    cached_input: 0.3,
    cache_write: 3.75,
    cache_write_1h: 6,
    input_audio: 40,
    output_audio: 80,
    reasoning: 20,
    web_searches: 10,
    requests: 5,
  };
  const tiered: Rates = { ...plain, cached_input: 0.3, tiers: [{ above: 200_000, input: 6, output: 22.5 }] };

  test.each<[string, Rates, TokenUsage, number]>([
    ['input and output', plain, usage(M, M), 18 * M],
    ['nothing', plain, usage(0, 0), 0],
    ['parts without rates like their wholes', plain, usage(M, M, { cached_input_tokens: M, reasoning_tokens: M }), 18 * M],
    ['cached input', { ...plain, cached_input: 0.3 }, usage(M, 0, { cached_input_tokens: M }), 0.3 * M],
    ['writes for an hour like other writes', { ...plain, cache_write: 4 }, usage(M, 0, { cache_write_1h_tokens: M }), 4 * M],
    [
      'each part at its own rate',
      full,
      usage(1000, 1000, {
        cached_input_tokens: 100,
        cache_write_5m_tokens: 200,
        cache_write_1h_tokens: 300,
        input_audio_tokens: 50,
        output_audio_tokens: 400,
        reasoning_tokens: 500,
        web_searches: 2,
      }),
      350 * 3 + 30 + 750 + 1800 + 2000 + 100 * 15 + 400 * 80 + 500 * 20 + 20_000 + 5000,
    ],
    [
      'no more parts than there is of a whole',
      full,
      usage(10, 10, { cached_input_tokens: 99, reasoning_tokens: 99 }),
      3 + 200 + 5000,
    ],
    ['at a tier not what is as long as its bound', tiered, usage(200_000, 0), 600_000],
    ['at a tier all of what is longer', tiered, usage(200_001, 10), 1_200_006 + 225],
    ['at a tier what it does not name as without it', tiered, usage(300_000, 0, { cached_input_tokens: 300_000 }), 90_000],
    ['a whole micro-dollar for a part of one', { input: 0.075, output: 0 }, usage(1, 0), 1],
    // In binary floating point, 3 times 0.1 is more than 0.3.
    ['what decimals say', { input: 0.1, output: 0 }, usage(30, 0), 3],
    ['what decimals of many places say', { input: 0.08333333333333334, output: 0 }, usage(12, 0), 2],
    ['what decimals of a small exponent say', { input: 1e-7, output: 0 }, usage(10 * M, 0), 1],
  ])('%s', (_, rates, used, micro) => expect(costOf(priceOf(rates), used, 0)).toBe(micro));

  it('an integer that is never below the exact price, and less than one above it', () => {
    const rate = fc.nat(100 * M);
    fc.assert(
      fc.property(fc.nat(10 * M), fc.nat(10 * M), rate, rate, (input, output, a, b) => {
        const cost = costOf(priceOf({ input: a / M, output: b / M }), usage(input, output), 0);
        const exact = BigInt(input) * BigInt(a) + BigInt(output) * BigInt(b);
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(BigInt(cost) * 1_000_000n >= exact && BigInt(cost - 1) * 1_000_000n < exact).toBe(true);
      }),
    );
  });

  it('at most the largest number that a counter can hold', () => {
    expect(costOf(priceOf({ input: M, output: M }), usage(99_999_999, Number.MAX_SAFE_INTEGER), 0)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('the time of a call', () => {
  const at = (time: string) => Date.parse(time);
  const hour = 3_600_000;
  const price = priceOf(
    { input: 1, output: 0 },
    { input: 2, output: 0, from: at('2026-08-17T00:00:00Z') },
    { input: 4, output: 0, daily: [1 * hour, 4 * hour] },
    { input: 8, output: 0, daily: [23 * hour, 0.5 * hour] },
  );

  test.each([
    ['2026-08-16T23:00:00Z', 8],
    ['2026-08-16T22:59:59Z', 1],
    ['2026-08-17T00:29:59Z', 8],
    ['2026-08-17T00:30:00Z', 2],
    ['2026-08-17T01:00:00Z', 4],
    ['2026-08-17T03:59:59Z', 4],
    ['2026-08-17T04:00:00Z', 2],
  ])('at %s selects the last valid rates', (time, micro) => expect(costOf(price, usage(1, 0), at(time))).toBe(micro));

  it('without rates selects the first ones', () => {
    expect(costOf(priceOf({ input: 1, output: 0, from: 10 }, { input: 2, output: 0, from: 20 }), usage(1, 0), 5)).toBe(1);
  });
});
