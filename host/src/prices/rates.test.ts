import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { costOf, type TokenUsage } from '@svc/contracts';
import { describe, expect, it, test } from 'vitest';
import { ratesOf } from './rates.ts';

const VENDORS = [
  'openai',
  'anthropic',
  'google',
  'x-ai',
  'deepseek',
  'mistral',
  'groq',
  'together',
  'fireworks',
  'openrouter',
  'aws',
];
const TIMES = ['2026-01-01T12:00:00Z', '2026-11-26T02:30:00Z', '2027-06-01T23:59:59Z'].map((time) => new Date(time));
const USAGES: readonly TokenUsage[] = [
  { input_tokens: 1000, output_tokens: 500, cached_input_tokens: 0, estimated: false },
  { input_tokens: 150_000, output_tokens: 64_000, cached_input_tokens: 100_000, reasoning_tokens: 60_000, estimated: false },
  {
    input_tokens: 300_001,
    output_tokens: 7,
    cached_input_tokens: 100_000,
    cache_write_5m_tokens: 50_000,
    cache_write_1h_tokens: 25_000,
    web_searches: 3,
    estimated: false,
  },
];

/** The same usage in the catalogue's terms. */
const inItsWords = (usage: TokenUsage) => ({
  input_tokens: usage.input_tokens,
  output_tokens: usage.output_tokens,
  cache_read_tokens: usage.cached_input_tokens,
  cache_write_tokens: (usage.cache_write_5m_tokens ?? 0) + (usage.cache_write_1h_tokens ?? 0),
  cache_write_1h_tokens: usage.cache_write_1h_tokens ?? 0,
  output_reasoning_tokens: usage.reasoning_tokens ?? 0,
  web_searches: usage.web_searches ?? 0,
});

test.each(VENDORS)('models of %s cost the same as in the catalogue itself', (providerId) => {
  const models = findProvider({ providerId })?.models ?? [];
  const priced = models.flatMap((model) => {
    const rates = ratesOf(model);
    return rates === null ? [] : [{ id: model.id, price: { source: 'catalogue', rates } as const }];
  });
  expect(priced.length).toBeGreaterThan(models.length / 2);
  for (const { id, price } of priced)
    for (const timestamp of TIMES)
      for (const usage of USAGES) {
        const theirs = calcPrice(inItsWords(usage), id, { providerId, timestamp });
        // An earlier model may match the id.
        if (theirs?.model.id !== id) continue;
        const ours = costOf(price, usage, timestamp.getTime());
        expect(Math.abs(ours - theirs.total_price * 1e6), `${id} at ${timestamp.toISOString()}`).toBeLessThanOrEqual(1);
      }
});

describe('the rates of a price', () => {
  it.each([
    ['hours', { input_mtok: 1, audio_hours: 1 }],
    ['images', { input_mtok: 1, output_mtok: 2, output_image_mtok: 30 }],
    ['a unit that is not known', { input_mtok: 1, sighs_mtok: 30 }],
    ['nothing', {}],
  ])('are missing with %s', (_, prices) => expect(ratesOf({ prices })).toBeNull());

  it('with tiers contain in each tier the rates that differ', () => {
    const prices = { input_mtok: { base: 1, tiers: [{ start: 200, price: 2 }] }, output_mtok: 3, cache_audio_read_mtok: 9 };
    expect(ratesOf({ prices })).toEqual([{ input: 1, output: 3, tiers: [{ above: 200, input: 2 }] }]);
  });

  it('with times contain the rates of each time; an invalid time has none', () => {
    const daily = (start_time: string, end_time: string) => {
      const constraint = { type: 'time_of_date', start_time, end_time } as const;
      return ratesOf({ prices: [{ prices: { input_mtok: 1 } }, { constraint, prices: { input_mtok: 2 } }] });
    };
    expect(daily('23:00:00Z', '01:30:00+02:00')).toEqual([
      { input: 1, output: 0 },
      { input: 2, output: 0, daily: [82_800_000, 84_600_000] },
    ]);
    expect(daily('late', '01:00:00Z')).toBeNull();
  });
});
