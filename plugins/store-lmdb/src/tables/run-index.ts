import type { RunRow, RunStatus } from '@svc/sdk/store';
import type { Database } from 'lmdb';
import { NO_VALUE } from './no-value.ts';

/** Few runs have these statuses at any time, and not for long: one entry is enough to find them. */
export const LIVE_STATUSES: readonly RunStatus[] = ['pending', 'running'];

/**
 * The first part of a key is the kind of lookup; its values and the status follow (not for `live`), then created_at and run_id. So the entries
 * of every combination of principal, route and status are adjacent, in order of time. A session has few runs: those of another principal or route
 * are found by their rows.
 */
export type RunIndexKey =
  | ['live', ...Moment]
  | ['status', RunStatus, ...Moment]
  | ['route', string, RunStatus, ...Moment]
  | ['principal', string, RunStatus, ...Moment]
  | ['session', string, RunStatus, ...Moment]
  | ['principal+route', string, string, RunStatus, ...Moment];
export type RunIndex = Database<Uint8Array, RunIndexKey>;
type Moment = [created_at: string, run_id: string];

export type IndexedFields = Pick<RunRow, 'run_id' | 'created_at' | 'status' | 'route' | 'principal_id' | 'session'>;

export function indexKeys({ run_id, created_at, status, route, principal_id, session }: IndexedFields): RunIndexKey[] {
  if (LIVE_STATUSES.includes(status)) return [['live', created_at, run_id]];
  return [
    ['status', status, created_at, run_id],
    ['route', route, status, created_at, run_id],
    ['principal', principal_id, status, created_at, run_id],
    ['principal+route', principal_id, route, status, created_at, run_id],
    ...(session === undefined ? [] : [['session', session, status, created_at, run_id] satisfies RunIndexKey]),
  ];
}

/** Updates the index from one version of a row (null: none) to the next. Call it inside a write. */
export function updateRunIndex(index: RunIndex, before: IndexedFields | null, after: IndexedFields): void {
  const old = before === null ? [] : indexKeys(before);
  const keys = indexKeys(after);
  if (isSame(old, keys)) return;
  for (const key of old) index.remove(key);
  for (const key of keys) index.put(key, NO_VALUE);
}

function isSame(a: readonly RunIndexKey[], b: readonly RunIndexKey[]): boolean {
  return a.length === b.length && a.every((key, n) => key.every((part, i) => part === b[n]?.[i]));
}
