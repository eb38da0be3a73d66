import { RUN_STATUSES, type RunPage, type RunQuery } from '@svc/sdk/store';
import { decodePosition, encodePosition, isStoreName } from '@svc/toolkit/store';
import type { Connections } from './connections.ts';
import { runOf, type StoredRun } from './rows.ts';

/** Rows per read. The event loop runs between reads. */
const CHUNK = 250;

/**
 * The newest rows after a position ($1, $2). Each status is queried separately, so that an index has exactly its rows in order. For several statuses
 * at once, the server would have to scan or sort all their rows.
 */
export function statementOf({ status, route, principal, session, owner, since, until }: RunQuery): {
  select(limit: number): string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value) + 2}`;
  const conditions = ['($1::text IS NULL OR (created_at, run_id) < ($1, $2))'];
  if (route !== undefined) conditions.push(`route = ${place(route)}`);
  if (principal !== undefined) conditions.push(`principal_id = ${place(principal)}`);
  if (session !== undefined) conditions.push(`session = ${place(session)}`);
  if (owner !== undefined) conditions.push(`owner = ${place(owner)}`);
  if (since !== undefined) conditions.push(`created_at >= ${place(since)}`);
  if (until !== undefined) conditions.push(`created_at < ${place(until)}`);
  const places = [...new Set(status ?? RUN_STATUSES)].map(place);
  const newest = (limit: number): string => `ORDER BY created_at DESC, run_id DESC LIMIT ${limit}`;
  const ofStatus = (limit: number) => (status: string) =>
    `(SELECT created_at, run_id, body FROM svc.run WHERE status = ${status} AND ${conditions.join(' AND ')} ${newest(limit)})`;
  return {
    values,
    select: (limit) => `SELECT body FROM (${places.map(ofStatus(limit)).join(' UNION ALL ')}) AS found ${newest(limit)}`,
  };
}

export async function queryRuns(db: Connections, query: RunQuery): Promise<RunPage> {
  let position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const names = [query.route, query.principal, query.session, query.owner, query.since, query.until].filter(
    (name) => name !== undefined,
  );
  if (!names.every(isStoreName)) return { rows: [], next: null };
  if (query.status?.length === 0) return { rows: [], next: null };
  const { select, values } = statementOf(query);
  const rows: RunPage['rows'][number][] = [];
  // One row above the limit shows whether there is a next page.
  while (rows.length <= query.limit) {
    const size = Math.min(CHUNK, query.limit + 1 - rows.length);
    const found = await db.read<StoredRun>(select(size), [position?.[0] ?? null, position?.[1] ?? null, ...values]);
    rows.push(...found.map(runOf));
    const last = rows.at(-1);
    if (found.length < size || last === undefined) return { rows, next: null };
    position = [last.created_at, last.run_id];
  }
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return { rows: page, next: last === undefined ? null : encodePosition([last.created_at, last.run_id]) };
}
