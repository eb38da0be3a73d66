import { members } from './run-steps.ts';
import type { ServedRun } from './runs-of-server.ts';

/** `micro_usd`: null if no call has a price. `partial`: the cost of a call is unknown. */
export interface RunCost {
  readonly micro_usd: number | null;
  readonly cost: 'complete' | 'partial';
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** The sum of the calls in the history of a run. */
export function costOfRun(events: ServedRun['events']): RunCost {
  const calls = events.filter(({ event_type, data }) => event_type === 'provider_call' && data.usage !== undefined);
  const prices = calls.map(({ data }) => members(data.price).micro_usd).filter((price) => typeof price === 'number');
  const unknown = events.some(({ data }) => data.spend === 'unknown');
  const sum = (field: string): number => calls.reduce((total, { data }) => total + Number(members(data.usage)[field] ?? 0), 0);
  return {
    micro_usd: prices.length === 0 ? null : prices.reduce((total, price) => total + price, 0),
    cost: unknown || prices.length < calls.length ? 'partial' : 'complete',
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
  };
}
