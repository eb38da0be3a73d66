import type { TokenUsage } from '@svc/sdk';
import { configuredPrice, type Endpoint } from '@svc/sdk/guard';
import { describe, expect, it, test } from 'vitest';
import { Prices } from './prices.ts';

const usage: TokenUsage = { input_tokens: 1_000_000, output_tokens: 1_000_000, cached_input_tokens: 0, estimated: false };
const at = (model: string, provider = 'p', more: Partial<Endpoint> = {}): Endpoint => ({
  provider,
  model,
  region: null,
  ...more,
});
const own = { a: { input: 2.5, output: 10 }, 'dear/a': { input: 5, output: 20 }, b: { input: 0.075, output: 0.3 } };
const price = configuredPrice({ input: 1, output: 1 });

describe('a price', () => {
  const prices = new Prices({ prices: own, unpriced: 'block' });

  test.each([
    ['of the pack', at('a'), 12_500_000],
    ['of the pack for one provider', at('a', 'dear'), 25_000_000],
    ['of the pack before that of the gateway', at('a', 'p', { price }), 12_500_000],
    ['of the gateway', at('gone', 'p', { price }), 2_000_000],
    // A model that has lost its price costs as much as the most expensive one.
    ['that is gone', at('gone'), 25_000_000],
  ])('%s', (_, endpoint, micro) => expect(prices.costOf(endpoint, usage, 0)).toBe(micro));

  it('is known for the models of the pack', () => {
    expect(prices.own(at('a', 'dear'))).toBe(own['dear/a']);
    expect(prices.own(at('gone', 'p', { price }))).toBeNull();
    expect([at('b'), at('gone', 'p', { price }), at('gone')].map((endpoint) => prices.has(endpoint))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

it('a missing price, if it is allowed, counts as 0', () => {
  expect(new Prices({ prices: own, unpriced: 'allow' }).costOf(at('gone'), usage, 0)).toBe(0);
});
