import type { RunStatus } from '@svc/sdk';
import type { Database, Key, Transaction } from 'lmdb';

export type RunCounts = Partial<Record<RunStatus, number>>;

const KEY = ['counts'];

/** Every status with its number; null: none is kept. */
export function allCounts(kept: RunCounts | null): Record<RunStatus, number> {
  return { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0, ...kept };
}

/** Of the rows in LMDB, as a transaction sees them. */
export function readCounts(state: Database<string, Key[]>, transaction?: Transaction): RunCounts {
  const text = state.get(KEY, transaction === undefined ? undefined : { transaction });
  return text === undefined ? {} : JSON.parse(text);
}

/** Inside a write. */
export function putCounts(state: Database<string, Key[]>, counts: RunCounts): void {
  state.put(KEY, JSON.stringify(counts));
}
