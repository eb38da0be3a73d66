import type { RunEvidence } from '@svc/contracts';
import { members } from './values.ts';

/** `micro_usd`: null if no call has a price. `partial`: the cost of a call is unknown. */
export interface RunCost {
  /** Calls of a model that were made. */
  readonly calls: number;
  readonly micro_usd: number | null;
  readonly cost: 'complete' | 'partial';
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** The sum of the calls in the history of a run. */
export function costOfRun(events: RunEvidence['events']): RunCost {
  const made = events.filter(({ event_type, data }) => event_type === 'provider_call' && data.outcome !== 'skipped');
  const billed = made.filter(({ data }) => data.usage !== undefined);
  const prices = billed.map(({ data }) => members(data.price).micro_usd).filter((price) => typeof price === 'number');
  const unknown = events.some(({ data }) => data.spend === 'unknown');
  const sum = (field: string): number => billed.reduce((total, { data }) => total + Number(members(data.usage)[field] ?? 0), 0);
  return {
    calls: made.length,
    micro_usd: prices.length === 0 ? null : prices.reduce((total, price) => total + price, 0),
    cost: unknown || prices.length < billed.length ? 'partial' : 'complete',
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
  };
}

export function costText({ calls, micro_usd, cost }: RunCost): string {
  if (calls === 0 && cost === 'complete') return 'no model was called';
  if (micro_usd === null) return cost === 'partial' ? 'no price is known' : 'no call was billed';
  return `${dollars(micro_usd)}${cost === 'partial' ? ', excluding calls whose cost is unknown' : ''}`;
}

export function dollars(micro_usd: number): string {
  return `$${(micro_usd / 1e6).toFixed(6)}`;
}
