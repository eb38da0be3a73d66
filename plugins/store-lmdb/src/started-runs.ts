import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunPage, RunQuery, RunRow } from '@svc/sdk';
import { decodePosition, encodePosition, type PagePosition } from '@svc/toolkit/store';
import { matches, newestFirst } from './run-query.ts';
import type { Databases } from './tables/databases.ts';

/** Rows looked at before the event loop gets its turn. */
const CHUNK = 100;

/**
 * Most runs are stored twice, when they start and when they end. The start goes to a small database of its own, without index entries: it
 * touches few pages, and is looked through whole by queries, since only runs in progress are in it. The next row of a run goes to `runs`.
 */
export function readRow({ runs, startedRuns }: Databases, run_id: string): RunRow | null {
  const text = startedRuns.get(run_id) ?? runs.get(run_id);
  return text === undefined ? null : JSON.parse(text);
}

/** Before the next row of a run is written. Inside a write. @returns whether its row was there, and so in no index */
export function forgetStart({ startedRuns }: Databases, run_id: string, stored: Pick<RunRow, 'status'> | null): boolean {
  if (stored?.status !== 'running' || !startedRuns.doesExist(run_id)) return false;
  startedRuns.remove(run_id);
  return true;
}

/** Those that a query asks for, of its page and the ones after. */
export async function queryStarted({ startedRuns }: Databases, query: RunQuery): Promise<RunRow[]> {
  if (query.status?.includes('running') === false) return [];
  const before = query.cursor === undefined ? null : decodePosition(query.cursor);
  const asked = (row: RunRow): boolean =>
    matches(row, query) &&
    (query.since === undefined || row.created_at >= query.since) &&
    (before === null || newestFirst(positionOf(row), before) > 0);
  const found: RunRow[] = [];
  for (let start = '', full = true; full; ) {
    const chunk = [...startedRuns.getRange({ start, exclusiveStart: true, limit: CHUNK })];
    found.push(...chunk.map(({ value }): RunRow => JSON.parse(value)).filter(asked));
    start = chunk.at(-1)?.key ?? start;
    full = chunk.length === CHUNK;
    if (full) await nextTurn();
  }
  return found;
}

/** A page of the indexed runs with those of the started ones that belong on it. */
export function withStarted(started: readonly RunRow[], page: RunPage, limit: number): RunPage {
  if (started.length === 0) return page;
  const ended = new Set(page.rows.map(({ run_id }) => run_id));
  const all = [...page.rows, ...started.filter(({ run_id }) => !ended.has(run_id))];
  all.sort((a, b) => newestFirst(positionOf(a), positionOf(b)));
  const rows = all.slice(0, limit);
  const last = rows.at(-1);
  const more = page.next !== null || all.length > limit;
  return { rows, next: more && last !== undefined ? encodePosition(positionOf(last)) : null };
}

function positionOf({ created_at, run_id }: RunRow): PagePosition {
  return [created_at, run_id];
}
