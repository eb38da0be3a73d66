import { guardConformance } from '@svc/sdk/testing';
import { describe, test } from 'vitest';
import budget from './index.ts';
import type { Options } from './options.ts';

const limit = { scope: 'principal', unit: 'tokens', amount: 1e9, period: 'day' } as const;
const sets: Record<string, { options: Options }> = {
  'room for all': {
    options: {
      limits: [limit, { ...limit, scope: 'global', unit: 'usd', amount: 1000 }, { ...limit, scope: 'route', unit: 'requests' }],
      prices: { 'echo-1': { input: 2.5, output: 10, cached_input: 1 } },
      unpriced: 'block',
      default_output_tokens: 100,
    },
  },
  'no room at all': { options: { limits: [{ ...limit, amount: 0 }], prices: {}, unpriced: 'block', default_output_tokens: 100 } },
  'no price': { options: { limits: [{ ...limit, unit: 'usd' }], prices: {}, unpriced: 'block', default_output_tokens: 100 } },
};

describe.each(Object.entries(sets))('guard conformance of a budget with %s', (_, { options }) => {
  // This guard does not look at text, so no sample triggers it.
  for (const { name, run } of guardConformance({ guard: (deps) => budget.create(options, deps), samples: [] })) test(name, run);
});
