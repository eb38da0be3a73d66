import type { ContentItem } from './content-item.ts';
import type { LedgerEntry, LedgerHead, SessionHead } from './ledger.ts';
import type { RunRow } from './run.ts';
import type { RunStatus } from './run-status.ts';

/** A stored counter. */
export interface CounterRow {
  readonly spent: number;
  readonly held: number;
  /** Creation time. It distinguishes the counter from an earlier, deleted one with the same key. */
  readonly since: number;
  readonly expires_at: number;
}

/** A stored reservation. */
export interface ReservationRow {
  readonly holds: readonly { readonly key: string; readonly amount: number; readonly since: number }[];
  /** When the last of its amounts may be deleted. */
  readonly expires_at: number;
}

/** Totals that the store maintains. */
export interface StoreTotals {
  readonly head: LedgerHead | null;
  /** The number of runs in each status. */
  readonly runs: Readonly<Record<RunStatus, number>>;
}

/**
 * One stored item in a store-neutral format. Derived data (indexes, counts of runs) is not included. Of a lease, only the last token is
 * included, not the holder, so that later tokens are still higher.
 */
export type DumpItem =
  | { readonly kind: 'record'; readonly record: LedgerEntry }
  | { readonly kind: 'session'; readonly head: SessionHead }
  | { readonly kind: 'run'; readonly run: RunRow }
  | { readonly kind: 'unique_key'; readonly key: string; readonly run_id: string }
  | { readonly kind: 'content'; readonly run_id: string; readonly item: ContentItem }
  | { readonly kind: 'counter'; readonly key: string; readonly row: CounterRow }
  | { readonly kind: 'reservation'; readonly id: string; readonly row: ReservationRow }
  | { readonly kind: 'lease'; readonly name: string; readonly token: number }
  | { readonly kind: 'cursor'; readonly name: string; readonly seq: number }
  | { readonly kind: 'meta'; readonly key: string; readonly value: string };

export type DumpKind = DumpItem['kind'];
