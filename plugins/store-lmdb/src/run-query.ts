import { setImmediate as nextTurn } from 'node:timers/promises';
import { RUN_STATUSES, type RunPage, type RunQuery, type RunRow, type RunStatus } from '@svc/sdk/plugin';
import { decodePosition, encodePosition, isStoreName, type PagePosition } from '@svc/sdk/store';
import type { Databases } from './databases.ts';
import { LAST } from './last-key.ts';
import type { RunIndexKey, RunIndexKind } from './run-index.ts';

/** Rows looked at before the event loop gets its turn. No iterator is kept over the turn: it would pin the pages of its snapshot. */
const CHUNK = 100;
/** Few runs are in these at any time, so they narrow a search more than anything else. */
const ACTIVE: readonly RunStatus[] = ['pending', 'running', 'paused'];

type Range = [kind: RunIndexKind, value: string];
/** The parts of the index to read: the narrowest single filter; what it leaves open is checked on the rows. */
function rangesOf({ status, route, principal }: RunQuery): Range[] {
  const byStatus = [...new Set(status ?? RUN_STATUSES)].map((value): Range => ['status', value]);
  if (status?.every((value) => ACTIVE.includes(value))) return byStatus;
  if (principal !== undefined) return [['principal', principal]];
  if (route !== undefined) return [['route', route]];
  return byStatus;
}

export function matches(row: RunRow, { status, route, principal, owner }: RunQuery): boolean {
  return (
    (status === undefined || status.includes(row.status)) &&
    (route === undefined || row.route === route) &&
    (principal === undefined || row.principal_id === principal) &&
    (owner === undefined || row.owner === owner)
  );
}

function compare(a: RunIndexKey, b: RunIndexKey): number {
  const [, , createdA, idA] = a;
  const [, , createdB, idB] = b;
  if (createdA !== createdB) return createdA < createdB ? 1 : -1;
  return idA < idB ? 1 : idA > idB ? -1 : 0;
}

/** The newest index entries before a position, at most a chunk, newest first. */
function nextKeys(
  index: Databases['runIndex'],
  ranges: Range[],
  since: string | undefined,
  before: PagePosition | null,
): RunIndexKey[] {
  const keys = ranges.flatMap(([kind, value]) => [
    ...index.getKeys({
      start: before === null ? [kind, value, LAST] : [kind, value, ...before],
      end: since === undefined ? [kind, value] : [kind, value, since],
      reverse: true,
      exclusiveStart: true,
      limit: CHUNK,
    }),
  ]);
  return ranges.length === 1 ? keys : keys.sort(compare).slice(0, CHUNK);
}

export async function queryRuns({ runs, runIndex }: Databases, query: RunQuery): Promise<RunPage> {
  let position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const ranges = rangesOf(query).filter(([, value]) => isStoreName(value));
  const rows: RunRow[] = [];
  while (true) {
    const keys = nextKeys(runIndex, ranges, query.since, position);
    for (const [, , , run_id] of keys) {
      const text = runs.get(run_id);
      const row: RunRow | null = text === undefined ? null : JSON.parse(text);
      if (row === null || !matches(row, query)) continue;
      const last = rows.at(-1);
      if (rows.length === query.limit && last !== undefined) {
        return { rows, next: encodePosition([last.created_at, last.run_id]) };
      }
      rows.push(row);
    }
    const end = keys.at(-1);
    if (end === undefined || keys.length < CHUNK) return { rows, next: null };
    position = [end[2], end[3]];
    await nextTurn();
  }
}
