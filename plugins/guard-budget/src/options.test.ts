import { configuredPrice, type LintedRoute } from '@svc/sdk/guard';
import { fakePluginDeps } from '@svc/sdk/testing';
import { describe, expect, it } from 'vitest';
import budget from './index.ts';
import type { LimitOption } from './options.ts';

const limit: LimitOption = { scope: 'principal', unit: 'tokens', amount: 100, period: 'day' };
const create = (...limits: LimitOption[]) => createWith('block', ...limits);
const createWith = (unpriced: 'allow' | 'block', ...limits: LimitOption[]) =>
  budget.create(
    { limits, prices: { 'm-1': { input: 1, output: 1 } }, unpriced, default_output_tokens: 10 },
    { ...fakePluginDeps(), name: 'spend' },
  );
const route = (...models: string[]): LintedRoute => ({
  stages: ['ingress', 'egress'],
  endpoints: models.map((model) => ({ provider: 'p', model, region: null })),
  embedder: null,
});

describe('options', () => {
  it.each([
    ['half a token', [{ ...limit, amount: 0.5 }], 'limits.0.amount'],
    ['half a request', [limit, { ...limit, unit: 'requests', amount: 1.5 }], 'limits.1.amount'],
    ['more USD than can be counted', [{ ...limit, unit: 'usd', amount: 1e11 }], 'limits.0.amount'],
    ['the same limit twice', [limit, { ...limit, amount: 5 }], 'limits.1'],
  ] satisfies [string, LimitOption[], string][])('refuses %s', (_, limits, where) => {
    expect(() => create(...limits)).toThrow(where);
  });

  it('names the model without a price, if a limit is in USD', () => {
    const guard = create({ ...limit, unit: 'usd', amount: 0.5 });
    expect(guard.lint?.(route('m-1'))).toEqual([]);
    const message = expect.stringMatching(/m-2.*packs\.spend\.prices/);
    expect(guard.lint?.(route('m-1', 'm-2'))).toEqual([{ code: 'SVC-POL-010', endpoint: 1, message }]);
    expect(create(limit).lint?.(route('m-2'))).toEqual([]);
    expect(createWith('allow', { ...limit, unit: 'usd' }).lint?.(route('m-2'))).toEqual([]);
  });

  it('accepts a model for which the gateway has a price', () => {
    const price = configuredPrice({ input: 1, output: 1 });
    const priced = { ...route(), endpoints: [{ provider: 'p', model: 'm-2', region: null, price }] };
    expect(create({ ...limit, unit: 'usd' }).lint?.(priced)).toEqual([]);
  });

  it('names the missing stage', () => {
    const message = expect.stringContaining('add it to egress');
    expect(create(limit).lint?.({ ...route('m-1'), stages: ['ingress'] })).toEqual([{ code: 'SVC-POL-003', message }]);
  });
});
