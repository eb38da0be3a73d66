import type { ModelInventory } from '@svc/contracts';
import type { PeriodReport, Review } from './period-counts.ts';

/** What `svc report` prints: the state now and, with a period, the runs that were created in it. */
export interface Report {
  /** ISO 8601. */
  readonly generated_at: string;
  readonly inventory: readonly ModelInventory[];
  /** Stored runs by status, whenever they were created. */
  readonly run_stats: Readonly<Record<string, number>>;
  /** Records in the ledger. */
  readonly chain_length: number;
  readonly reviews: readonly Review[];
  readonly period: (Period & PeriodReport) | null;
}

/** As given: ISO 8601, and `to` is not included. Null: without this limit. */
export interface Period {
  readonly from: string | null;
  readonly to: string | null;
  readonly route: string | null;
}

export function periodText({ from, to, route }: Period): string {
  const limits = [...(from === null ? [] : [`from ${from}`]), ...(to === null ? [] : [`until ${to}`])];
  return `${limits.length === 0 ? 'all' : `created ${limits.join(' ')}`}${route === null ? '' : `, route ${route}`}`;
}

/** Names with their numbers, such as `allow 12, block 1`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${name} ${number}`)
    .join(', ');
}
