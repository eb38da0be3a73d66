import type { RunRow } from '@svc/sdk/plugin';
import { type Databases, NO_VALUE } from './databases.ts';

/**
 * What a run can be found by; each costs 3 us of a request's 150. All runs are found as those of every status. An owner is only ever
 * asked for together with a status that few runs have: most runs of any time have one owner, so that an index of it narrows nothing.
 */
export type RunIndexKind = 'status' | 'route' | 'principal';
/** Kind, value, created_at, run_id: the entries of one kind and value lie in order of time. */
export type RunIndexKey = [RunIndexKind, string, string, string];

export type IndexedFields = Pick<RunRow, 'run_id' | 'created_at' | 'status' | 'route' | 'principal_id' | 'owner'>;

export function indexKeys({ run_id, created_at, status, route, principal_id }: IndexedFields): RunIndexKey[] {
  return [
    ['status', status, created_at, run_id],
    ['route', route, created_at, run_id],
    ['principal', principal_id, created_at, run_id],
  ];
}

/** Brings the index from one state of a row (null: there was none) to the next. Inside a write. */
export function updateRunIndex(index: Databases['runIndex'], before: IndexedFields | null, after: IndexedFields): void {
  const old = before === null ? [] : indexKeys(before);
  for (const [i, key] of indexKeys(after).entries()) {
    const [, value, created_at] = old[i] ?? [];
    if (value === key[1] && created_at === key[2]) continue;
    const gone = old[i];
    if (gone !== undefined) index.remove(gone);
    index.put(key, NO_VALUE);
  }
}
