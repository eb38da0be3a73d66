import type { LedgerHead, SealedRecord } from './ledger.ts';
import type { RunRow } from './run.ts';
import type { RunStatus } from './run-status.ts';
import type { ContentItem } from './store.ts';

/** A counter as it is kept. */
export interface CounterRow {
  readonly spent: number;
  readonly held: number;
  /** When the counter was made: tells it from one of the same key that was forgotten before. */
  readonly since: number;
  readonly expires_at: number;
}

/** A reservation as it is kept. */
export interface ReservationRow {
  readonly holds: readonly { readonly key: string; readonly amount: number; readonly since: number }[];
  /** When the last of its holds may be forgotten. */
  readonly expires_at: number;
}

/** A ledger record as it is kept: `bytes` exactly as sealed. */
export type LedgerEntry = Omit<SealedRecord, 'change'>;

/** What a store itself keeps of how much there is. */
export interface StoreTotals {
  readonly head: LedgerHead | null;
  /** Every status has its number. */
  readonly runs: Readonly<Record<RunStatus, number>>;
}

/**
 * One thing that a store keeps, in a form of no store's own. What follows from others (indexes, counts of runs) is not among them. Of a lease
 * only its last token, so that tokens go on growing: its holder does not come along.
 */
export type DumpItem =
  | { readonly kind: 'record'; readonly record: LedgerEntry }
  | { readonly kind: 'run'; readonly run: RunRow }
  | { readonly kind: 'unique_key'; readonly key: string; readonly run_id: string }
  | { readonly kind: 'content'; readonly run_id: string; readonly item: ContentItem }
  | { readonly kind: 'counter'; readonly key: string; readonly row: CounterRow }
  | { readonly kind: 'reservation'; readonly id: string; readonly row: ReservationRow }
  | { readonly kind: 'lease'; readonly name: string; readonly token: number }
  | { readonly kind: 'cursor'; readonly name: string; readonly seq: number }
  | { readonly kind: 'meta'; readonly key: string; readonly value: string };

export type DumpKind = DumpItem['kind'];
