import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { Price, Rates, TimedRates } from '@svc/contracts';

type RateName = Exclude<keyof Rates, 'tiers'>;

/** The catalogue's units that usage reports. */
const RATES: Readonly<Record<string, RateName>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached_input',
  cache_write_mtok: 'cache_write',
  cache_write_1h_mtok: 'cache_write_1h',
  input_audio_mtok: 'input_audio',
  output_audio_mtok: 'output_audio',
  output_reasoning_mtok: 'reasoning',
  web_searches_kcount: 'web_searches',
  requests_kcount: 'requests',
};
/**
 * Units without a rate of their own: cached audio is priced like other audio, and citations are input at the same price. File searches are vendor
 * tools, which usage does not report.
 */
const PASSED_OVER: ReadonlySet<string> = new Set(['cache_audio_read_mtok', 'output_citation_mtok', 'storage_searches_kcount']);

/** Rates of a model of the catalogue. Null: usage does not report what is billed, such as images or hours. */
export function ratesOf({ prices }: Pick<ModelInfo, 'prices'>): Price['rates'] | null {
  const all: readonly ConditionalPrice[] = Array.isArray(prices) ? prices : [{ prices }];
  const [first, ...others] = all.map(timedRates);
  if (first == null || others.includes(null)) return null;
  return [first, ...others.filter((rates) => rates !== null)];
}

function timedRates({ constraint, prices }: ConditionalPrice): TimedRates | null {
  const rates = plainRates(prices);
  if (rates === null || constraint === undefined) return rates;
  if (constraint.type === 'start_date') return { ...rates, from: Date.parse(constraint.start_date) };
  const [begin, end] = [timeOfDay(constraint.start_time), timeOfDay(constraint.end_time)];
  return Number.isNaN(begin + end) ? null : { ...rates, daily: [begin, end] };
}

/** Milliseconds since midnight in UTC. */
function timeOfDay(time: string): number {
  const day = 86_400_000;
  return (Date.parse(`1970-01-02T${time}`) + day) % day;
}

function plainRates(prices: ModelPrice): Rates | null {
  const { input_mtok } = prices;
  const known = Object.entries(prices).filter(([unit]) => !PASSED_OVER.has(unit));
  if (input_mtok === undefined || known.some(([unit]) => RATES[unit] === undefined)) return null;
  const at = (tokens: number | null) =>
    known.flatMap(([unit, price]) => {
      const name = RATES[unit];
      if (name === undefined || price === undefined) return [];
      if (typeof price === 'number') return tokens === null ? [[name, price] as const] : [];
      const tier = price.tiers.find(({ start }) => start === tokens);
      return tokens === null ? [[name, price.base] as const] : tier === undefined ? [] : [[name, tier.price] as const];
    });
  const starts = known.flatMap(([, price]) => (typeof price === 'object' ? price.tiers.map(({ start }) => start) : []));
  const tiers = [...new Set(starts)].toSorted((a, b) => a - b).map((above) => ({ above, ...Object.fromEntries(at(above)) }));
  const base = { input: 0, output: 0, ...Object.fromEntries(at(null)) };
  return tiers.length === 0 ? base : { ...base, tiers };
}
