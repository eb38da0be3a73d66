import { setImmediate as nextTurn } from 'node:timers/promises';
import { RUN_STATUSES, type RunPage, type RunQuery, type RunRow } from '@svc/sdk';
import { decodePosition, encodePosition, isStoreName, type PagePosition } from '@svc/toolkit/store';
import type { Key } from 'lmdb';
import { LAST } from './last-key.ts';
import type { Databases } from './tables/databases.ts';
import { LIVE_STATUSES, type RunIndex } from './tables/run-index.ts';

/** Entries of each range that are read before the event loop gets its turn. No iterator is kept over the turn: it would pin the pages of its snapshot. */
const CHUNK = 100;

/**
 * The ranges of the index that hold what is asked for, and nothing else: one for each status. Only those of live runs hold others too;
 * there are few, and each is checked on its row.
 */
function rangesOf({ status, route, principal }: RunQuery): Key[][] {
  const statuses = [...new Set(status ?? RUN_STATUSES)];
  const ended = statuses.filter((value) => !LIVE_STATUSES.includes(value));
  return [
    ...(ended.length < statuses.length ? [['live']] : []),
    ...ended.map((value) => [...narrowest(principal, route), value]),
  ];
}

function narrowest(principal: string | undefined, route: string | undefined): Key[] {
  if (principal !== undefined) return route === undefined ? ['principal', principal] : ['principal+route', principal, route];
  return route === undefined ? ['status'] : ['route', route];
}

export function matches(row: RunRow, { status, route, principal, owner }: RunQuery): boolean {
  return (
    (status === undefined || status.includes(row.status)) &&
    (route === undefined || row.route === route) &&
    (principal === undefined || row.principal_id === principal) &&
    (owner === undefined || row.owner === owner)
  );
}

/** Order of positions. */
export function newestFirst([createdA, idA]: PagePosition, [createdB, idB]: PagePosition): number {
  if (createdA !== createdB) return createdA < createdB ? 1 : -1;
  return idA < idB ? 1 : idA > idB ? -1 : 0;
}

/**
 * The newest entries before a position, newest first, as far as they are known of every range; `done` where there are no more. All ranges
 * are read in one turn, so in one state of the index: a run that moves from one range to another is found once.
 */
function nextEntries(
  index: RunIndex,
  ranges: readonly Key[][],
  since: string | undefined,
  before: PagePosition | null,
): { entries: PagePosition[]; done: boolean } {
  const found = ranges.map((range) => readRange(index, range, since, before));
  // Behind the last entry that was read of a range there may be others of it.
  const known = found
    .filter((entries) => entries.length === CHUNK)
    .flatMap((entries) => entries.slice(-1))
    .sort(newestFirst)[0];
  const entries = found.flat().sort(newestFirst);
  if (known === undefined) return { entries, done: true };
  return { entries: entries.filter((entry) => newestFirst(entry, known) <= 0), done: false };
}

function readRange(
  index: RunIndex,
  range: readonly Key[],
  since: string | undefined,
  before: PagePosition | null,
): PagePosition[] {
  const keys = index.getKeys({
    start: before === null ? [...range, LAST] : [...range, ...before],
    end: since === undefined ? [...range] : [...range, since],
    reverse: true,
    exclusiveStart: true,
    limit: CHUNK,
  });
  return [...keys].map((key) => [String(key.at(-2)), String(key.at(-1))]);
}

export async function queryRuns({ runs, runIndex }: Databases, query: RunQuery): Promise<RunPage> {
  let position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const named = [query.principal, query.route].every((name) => name === undefined || isStoreName(name));
  const ranges = named ? rangesOf(query) : [];
  const rows: RunRow[] = [];
  while (true) {
    const { entries, done } = nextEntries(runIndex, ranges, query.since, position);
    for (const [, run_id] of entries) {
      const text = runs.get(run_id);
      const row: RunRow | null = text === undefined ? null : JSON.parse(text);
      if (row === null || !matches(row, query)) continue;
      const last = rows.at(-1);
      if (rows.length === query.limit && last !== undefined) {
        return { rows, next: encodePosition([last.created_at, last.run_id]) };
      }
      rows.push(row);
    }
    if (done) return { rows, next: null };
    position = entries.at(-1) ?? position;
    await nextTurn();
  }
}
