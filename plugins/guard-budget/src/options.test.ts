import { fakePluginDeps } from '@svc/sdk/testing';
import { describe, expect, it } from 'vitest';
import budget from './index.ts';
import type { LimitOption } from './options.ts';

const limit: LimitOption = { scope: 'principal', unit: 'tokens', amount: 100, period: 'day' };
const create = (...limits: LimitOption[]) =>
  budget.create(
    { limits, prices: { 'm-1': { input: 1, output: 1 } }, default_output_tokens: 10 },
    { ...fakePluginDeps(), name: 'spend' },
  );
const endpoint = (model: string) => ({ provider: 'p', model, region: null });

describe('options', () => {
  it.each([
    ['half a token', [{ ...limit, amount: 0.5 }], 'limits.0.amount'],
    ['half a request', [limit, { ...limit, unit: 'requests', amount: 1.5 }], 'limits.1.amount'],
    ['more USD than can be counted', [{ ...limit, unit: 'usd', amount: 1e11 }], 'limits.0.amount'],
    ['the same limit twice', [limit, { ...limit, amount: 5 }], 'limits.1'],
  ] satisfies [string, LimitOption[], string][])('refuses %s', (_, limits, where) => {
    expect(() => create(...limits)).toThrow(where);
  });

  it('says which model has no price, where a limit is in USD', () => {
    const guard = create({ ...limit, unit: 'usd', amount: 0.5 });
    expect(guard.unfit?.(endpoint('m-1'))).toBeNull();
    expect(guard.unfit?.(endpoint('m-2'))).toMatch(/m-2.*packs\.spend\.prices/);
    expect(create(limit).unfit?.(endpoint('m-2'))).toBeNull();
  });
});
