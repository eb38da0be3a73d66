import type { Endpoint, Price } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { priceField, spendOf, usageField } from './spend.ts';

const usage = { input_tokens: 3, output_tokens: 4, cached_input_tokens: 0, estimated: false };
const price: Price = { source: 'catalogue', version: '1.2.3', rates: [{ input: 1, output: 2 }] };
const spend = (fields: Partial<Endpoint> = {}) => spendOf({ provider: 'p', model: 'm', region: null, ...fields }, usage, 0);

describe('the usage of a run', () => {
  it('adds up all attempts', () => {
    expect(usageField([spend({ price }), spend({ price })], 'complete')).toEqual({
      usage: { input_tokens: 6, output_tokens: 8, micro_usd: 22, cost: 'complete', model: 'm', at: 0 },
    });
  });

  it('has no amount in dollars if one of its models has no price', () => {
    expect(usageField([spend({ price }), spend()], 'complete').usage).toMatchObject({ input_tokens: 6, micro_usd: null });
  });

  it('is left out if no model was called, and unknown if a model may have been called', () => {
    expect(usageField([], 'complete')).toEqual({});
    expect(usageField([], 'partial')).toMatchObject({ usage: { input_tokens: 0, micro_usd: null, cost: 'partial' } });
  });
});

describe('the event of an attempt', () => {
  it('reports the cost, and the prices behind it', () => {
    expect(priceField(spend({ price }))).toEqual({ price: { micro_usd: 11, source: 'catalogue', version: '1.2.3' } });
    const { version: _, ...own } = price;
    expect(priceField(spend({ price: { ...own, source: 'configuration' } }))).toEqual({
      price: { micro_usd: 11, source: 'configuration' },
    });
  });

  it('reports no cost without a price or without usage', () => {
    expect(priceField(spend())).toEqual({});
    expect(priceField(null)).toEqual({});
  });
});
