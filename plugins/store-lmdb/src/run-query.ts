import { setImmediate as nextTurn } from 'node:timers/promises';
import { RUN_STATUSES, type RunPage, type RunQuery, type RunRow } from '@svc/sdk/store';
import { decodePosition, encodePosition, isStoreName, type PagePosition } from '@svc/toolkit/store';
import type { Key } from 'lmdb';
import type { Recent } from './commits.ts';
import { LAST } from './last-key.ts';
import type { Row } from './log/group.ts';
import type { Databases } from './tables/databases.ts';
import { readRow } from './tables/rows.ts';
import { LIVE_STATUSES, type RunIndex } from './tables/run-index.ts';

/** Entries of each range that are read before yielding to the event loop. No iterator is kept meanwhile: it would pin the pages of its snapshot. */
const CHUNK = 100;

/**
 * The index ranges that hold the requested runs, one per status. Only the ranges of live runs and of sessions hold other runs too. Those are few, and
 * each is checked by its row.
 */
function rangesOf({ status, route, principal, session }: RunQuery): Key[][] {
  const statuses = [...new Set(status ?? RUN_STATUSES)];
  const ended = statuses.filter((value) => !LIVE_STATUSES.includes(value));
  return [
    ...(ended.length < statuses.length ? [['live']] : []),
    ...ended.map((value) => [...(session === undefined ? narrowest(principal, route) : ['session', session]), value]),
  ];
}

function narrowest(principal: string | undefined, route: string | undefined): Key[] {
  if (principal !== undefined) return route === undefined ? ['principal', principal] : ['principal+route', principal, route];
  return route === undefined ? ['status'] : ['route', route];
}

function matches(row: RunRow, { status, route, principal, session, owner }: RunQuery): boolean {
  return (
    (status === undefined || status.includes(row.status)) &&
    (route === undefined || row.route === route) &&
    (principal === undefined || row.principal_id === principal) &&
    (session === undefined || row.session === session) &&
    (owner === undefined || row.owner === owner)
  );
}

/** Order of positions. */
function newestFirst([createdA, idA]: PagePosition, [createdB, idB]: PagePosition): number {
  if (createdA !== createdB) return createdA < createdB ? 1 : -1;
  return idA < idB ? 1 : idA > idB ? -1 : 0;
}

/**
 * The newest entries before a position, newest first, as far as every range is known; `done` if there are no more. All ranges are read in one
 * turn, so in one state of the index: a run that moves from one range to another is found once.
 */
function nextEntries(
  index: RunIndex,
  ranges: readonly Key[][],
  query: RunQuery,
  before: PagePosition | null,
): { entries: PagePosition[]; done: boolean } {
  const found = ranges.map((range) => readRange(index, range, query, before));
  // After the last entry that was read, a range may have more.
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
  { since, until }: RunQuery,
  before: PagePosition | null,
): PagePosition[] {
  const keys = index.getKeys({
    start: [...range, ...startOf(before, until)],
    end: since === undefined ? [...range] : [...range, since],
    reverse: true,
    exclusiveStart: true,
    limit: CHUNK,
  });
  return [...keys].map((key) => [String(key.at(-2)), String(key.at(-1))]);
}

/** The position, or `until` if that is older: the cursor may come from a query without `until`. */
function startOf(before: PagePosition | null, until: string | undefined): readonly Key[] {
  if (before !== null && (until === undefined || before[0] < until)) return before;
  return [until ?? LAST];
}

/** @param recent a snapshot: a run in it is not looked up in LMDB */
export async function queryRuns(dbs: Databases, recent: Recent, query: RunQuery): Promise<RunPage> {
  const newer = recent.rows;
  return merged(await recentRows(newer, query), await storedRuns(dbs, newer, query), query.limit);
}

/** The runs of the page, and one more if there is one. */
async function recentRows(newer: ReadonlyMap<string, Row>, query: RunQuery): Promise<RunRow[]> {
  const before = query.cursor === undefined ? null : decodePosition(query.cursor);
  const isAsked = (run: RunRow): boolean =>
    matches(run, query) &&
    (query.since === undefined || run.created_at >= query.since) &&
    (query.until === undefined || run.created_at < query.until) &&
    (before === null || newestFirst(positionOf(run), before) > 0);
  const found = [...newer.values()]
    .filter(({ run }) => isAsked(run))
    .sort((a, b) => newestFirst(positionOf(a.run), positionOf(b.run)))
    .slice(0, query.limit + 1);
  const rows: RunRow[] = [];
  for (const { text } of found) {
    rows.push(JSON.parse(text));
    if (rows.length % CHUNK === 0) await nextTurn();
  }
  return rows;
}

function merged(recent: readonly RunRow[], page: RunPage, limit: number): RunPage {
  if (recent.length === 0) return page;
  const all = [...page.rows, ...recent].sort((a, b) => newestFirst(positionOf(a), positionOf(b)));
  const rows = all.slice(0, limit);
  const last = rows.at(-1);
  const more = page.next !== null || all.length > limit;
  return { rows, next: more && last !== undefined ? encodePosition(positionOf(last)) : null };
}

function positionOf({ created_at, run_id }: RunRow): PagePosition {
  return [created_at, run_id];
}

async function storedRuns(dbs: Databases, newer: ReadonlyMap<string, Row>, query: RunQuery): Promise<RunPage> {
  let position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const named = [query.principal, query.route, query.session].every((name) => name === undefined || isStoreName(name));
  const ranges = named ? rangesOf(query) : [];
  const rows: RunRow[] = [];
  while (true) {
    const { entries, done } = nextEntries(dbs.runIndex, ranges, query, position);
    for (const [, run_id] of entries) {
      const row = newer.has(run_id) ? null : readRow(dbs, run_id);
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
