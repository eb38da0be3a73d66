import type { UsageGroup } from '../shared/api-types.ts';

/** The sums of a group or of one interval of it. */
export type Sums = Omit<UsageGroup, 'name' | 'intervals'>;

/** A value that a chart shows. */
export interface Measure {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  /** Null: there is no value. */
  read(sums: Sums): number | null;
  text(value: number): string;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en');
const cents = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const fractions = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

export function countText(count: number): string {
  return count < 10_000 ? whole.format(count) : compact.format(count);
}

export function usdText(usd: number): string {
  return usd === 0 || usd >= 0.1 ? cents.format(usd) : fractions.format(usd);
}

export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

export const MEASURES: readonly Measure[] = [
  { title: 'Cost', kind: 'bars', read: ({ usd }) => usd, text: usdText },
  { title: 'Tokens', kind: 'bars', read: (sums) => sums.input_tokens + sums.output_tokens, text: countText },
  { title: 'Requests', kind: 'bars', read: ({ requests }) => requests, text: countText },
  { title: 'Blocked requests', kind: 'bars', read: ({ blocked }) => blocked, text: countText },
  { title: 'Latency, 95th percentile', kind: 'lines', read: ({ latency_ms }) => latency_ms?.p95 ?? null, text: durationText },
];
