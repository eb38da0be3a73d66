import type { RunStatus } from '@svc/sdk/store';
import type { Database, Key, Transaction } from 'lmdb';

export type RunCounts = Partial<Record<RunStatus, number>>;

const KEY = ['counts'];

/** Every status with its count; null: none is stored. */
export function allCounts(kept: RunCounts | null): Record<RunStatus, number> {
  return { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0, ...kept };
}

/** The counts of the rows in LMDB, as a transaction sees them. */
export function readCounts(state: Database<string, Key[]>, transaction?: Transaction): RunCounts {
  const text = state.get(KEY, transaction === undefined ? undefined : { transaction });
  return text === undefined ? {} : JSON.parse(text);
}

/** Call it inside a write. */
export function putCounts(state: Database<string, Key[]>, counts: RunCounts): void {
  state.put(KEY, JSON.stringify(counts));
}
