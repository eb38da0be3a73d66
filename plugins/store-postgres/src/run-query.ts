import type { RunPage, RunQuery } from '@svc/sdk/plugin';
import { decodePosition, encodePosition, isStoreName } from '@svc/sdk/store';
import type { Connections } from './connections.ts';
import { runOf, type StoredRun } from './rows.ts';

/** Rows read at once: the event loop has its turn between them. */
const CHUNK = 250;

/** The conditions of a query, and their values from $3 on ($1 and $2 are the position). */
function conditionsOf({ status, route, principal, owner, since }: RunQuery): { where: string; values: unknown[] } {
  const conditions = ['($1::text IS NULL OR (created_at, run_id) < ($1, $2))'];
  const values: unknown[] = [];
  const add = (condition: (place: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length + 2}`));
  };
  add((place) => `status = ANY(${place})`, status);
  add((place) => `route = ${place}`, route);
  add((place) => `principal_id = ${place}`, principal);
  add((place) => `owner = ${place}`, owner);
  add((place) => `created_at >= ${place}`, since);
  return { where: conditions.join(' AND '), values };
}

export async function queryRuns(db: Connections, query: RunQuery): Promise<RunPage> {
  let position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const names = [query.route, query.principal, query.owner, query.since].filter((name) => name !== undefined);
  if (!names.every(isStoreName)) return { rows: [], next: null };
  const { where, values } = conditionsOf(query);
  const rows: RunPage['rows'][number][] = [];
  // One more than asked for tells whether there is a next page.
  while (rows.length <= query.limit) {
    const size = Math.min(CHUNK, query.limit + 1 - rows.length);
    const found = await db.read<StoredRun>(
      `SELECT body FROM svc.run WHERE ${where} ORDER BY created_at DESC, run_id DESC LIMIT ${size}`,
      [position?.[0] ?? null, position?.[1] ?? null, ...values],
    );
    rows.push(...found.map(runOf));
    const last = rows.at(-1);
    if (found.length < size || last === undefined) return { rows, next: null };
    position = [last.created_at, last.run_id];
  }
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return { rows: page, next: last === undefined ? null : encodePosition([last.created_at, last.run_id]) };
}
