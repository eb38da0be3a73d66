import { type Static, Type } from 'typebox';
import type { TokenUsage } from './chat.ts';

const usd = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description }));

const parts = {
  cached_input: usd("USD per million input tokens served from the provider's cache. Default: `input`."),
  cache_write: usd("USD per million input tokens written to the provider's cache. Default: `input`."),
  cache_write_1h: usd("USD per million input tokens written to the provider's cache for one hour. Default: `cache_write`."),
  input_audio: usd('USD per million input tokens of audio. Default: `input`.'),
  output_audio: usd('USD per million output tokens of audio. Default: `output`.'),
  reasoning: usd('USD per million output tokens of reasoning. Default: `output`.'),
  web_searches: usd('USD per thousand searches that the provider makes. Default: 0.'),
  requests: usd('USD per thousand calls. Default: 0.'),
};
const input = Type.Number({ minimum: 0, maximum: 1_000_000, description: 'USD per million input tokens.' });
const output = Type.Number({ minimum: 0, maximum: 1_000_000, description: 'USD per million output tokens.' });

/** Rates of a model in the configuration. If a call's input is longer than a tier's `above`, that tier's rates apply to the whole call. */
export const Rates = Type.Object(
  {
    input,
    output,
    ...parts,
    tiers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            above: Type.Integer({
              minimum: 1,
              description: 'Number of input tokens above which the rates apply. They apply to the whole call.',
            }),
            input: Type.Optional(input),
            output: Type.Optional(output),
            ...parts,
          },
          { additionalProperties: false },
        ),
        { maxItems: 16, description: 'Rates for long inputs. Rates that a tier does not set stay the same.' },
      ),
    ),
  },
  { additionalProperties: false },
);
export type Rates = Static<typeof Rates>;

/** Rates, and when they apply. */
export interface TimedRates extends Rates {
  /** Start, in milliseconds since the epoch. Absent: the rates always applied. */
  readonly from?: number;
  /**
   * Part of each day in UTC, as start (inclusive) and end (exclusive) in milliseconds since midnight. It may extend past midnight. Absent: all day.
   */
  readonly daily?: readonly [number, number];
}

/** The price of a model, as plain data. It is stored with the spend of a call. */
export interface Price {
  readonly source: 'configuration' | 'catalogue';
  /** Version of the catalogue. */
  readonly version?: string;
  /** The last entry that applies at the time of the call is used. If none applies, the first one is used. */
  readonly rates: readonly [TimedRates, ...TimedRates[]];
}

/** A price that does not change over time. */
export function configuredPrice(rates: Rates): Price {
  return { source: 'configuration', rates: [rates] };
}

/**
 * The rates of a model by names such as `<provider>/<model>` or `<model>`. A name that ends in `*` is a prefix. The longest match is used. Null: no
 * price.
 */
export function ratesNamed(
  rates: ReadonlyMap<string, Rates>,
  { provider, model }: { readonly provider: string; readonly model: string },
): Rates | null {
  const names = [`${provider}/${model}`, model];
  const exact = names.find((name) => rates.has(name));
  const patterns = [...rates.keys()].filter(
    (key) => key.endsWith('*') && names.some((name) => name.startsWith(key.slice(0, -1))),
  );
  return rates.get(exact ?? patterns.sort((one, other) => other.length - one.length)[0] ?? '') ?? null;
}

/** Larger amounts are capped, because a counter cannot hold them exactly. */
const MAX_MICRO_USD = BigInt(Number.MAX_SAFE_INTEGER);
/** Number of decimal places of a rate that is held as an integer. A rate in USD per million tokens is also in micro-dollars per token. */
const PLACES = 18;
const PARTS = 10n ** BigInt(PLACES);
const DAY_MS = 86_400_000;

/** The cost of one call in whole micro-dollars, rounded up once at the end. @param at when the call ended, in milliseconds since the epoch */
export function costOf(price: Price, usage: TokenUsage, at: number): number {
  const { input, output, tiers = [], ...more } = ratesAt(price.rates, at);
  const longest = tiers.filter(({ above }) => usage.input_tokens > above).toSorted((a, b) => b.above - a.above)[0];
  const rates = { input, output, ...more, ...longest };
  const { cached, written_5m, written_1h, input_audio, text } = inputParts(usage);
  const output_audio = Math.min(usage.output_audio_tokens ?? 0, usage.output_tokens);
  const reasoning = Math.min(usage.reasoning_tokens ?? 0, usage.output_tokens - output_audio);
  const { cache_write = rates.input } = rates;
  const sum =
    times(text, rates.input) +
    times(cached, rates.cached_input ?? rates.input) +
    times(written_5m, cache_write) +
    times(written_1h, rates.cache_write_1h ?? cache_write) +
    times(input_audio, rates.input_audio ?? rates.input) +
    times(usage.output_tokens - output_audio - reasoning, rates.output) +
    times(output_audio, rates.output_audio ?? rates.output) +
    times(reasoning, rates.reasoning ?? rates.output) +
    1000n * (times(usage.web_searches ?? 0, rates.web_searches ?? 0) + times(1, rates.requests ?? 0));
  const micro = (sum + PARTS - 1n) / PARTS;
  return Number(micro > MAX_MICRO_USD ? MAX_MICRO_USD : micro);
}

/** Counts each token once. Tokens that could be both cached and audio are counted as cached text, because audio costs more. */
function inputParts(usage: TokenUsage) {
  const { input_tokens, cached_input_tokens, cache_write_5m_tokens = 0, cache_write_1h_tokens = 0 } = usage;
  const cached = Math.min(cached_input_tokens, input_tokens);
  const written_1h = Math.min(cache_write_1h_tokens, input_tokens - cached);
  const written_5m = Math.min(cache_write_5m_tokens, input_tokens - cached - written_1h);
  const rest = input_tokens - cached - written_1h - written_5m;
  const input_audio = Math.min(usage.input_audio_tokens ?? 0, rest);
  return { cached, written_5m, written_1h, input_audio, text: rest - input_audio };
}

function ratesAt(all: Price['rates'], at: number): TimedRates {
  const time = at % DAY_MS;
  const isNow = ({ from, daily }: TimedRates): boolean => {
    if (from !== undefined && at < from) return false;
    if (daily === undefined) return true;
    const [begin, end] = daily;
    return begin <= end ? begin <= time && time < end : begin <= time || time < end;
  };
  return all.findLast(isNow) ?? all[0];
}

function times(count: number, rate: number): bigint {
  return rate === 0 || count === 0 ? 0n : BigInt(count) * partsOf(rate);
}

/** Converts the decimal text of a number, not its binary approximation. */
function partsOf(rate: number): bigint {
  const [digits = '', exponent = '0'] = String(rate).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = PLACES - fraction.length + Number(exponent);
  const value = BigInt(whole + fraction);
  return shift >= 0 ? value * 10n ** BigInt(shift) : value / 10n ** BigInt(-shift) + 1n;
}
