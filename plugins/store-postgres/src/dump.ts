import type { CounterRow, DumpItem, LedgerEntry, ReservationRow, SessionHead, StoreTotals } from '@svc/sdk/store';
import type pg from 'pg';
import { unreachable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { countsOf, type HeadRow, headOf, type RunCountRow, runOf, type StoredRun } from './rows.ts';
import { closeSession, openSession } from './session.ts';

const PAGE = 500;
/** Long, because a consumer may be slow. */
const MAX_IDLE_MS = 60_000;
/** Content may be large. */
const CONTENT_PAGE = 16;

type Dump = (client: pg.Client) => AsyncGenerator<DumpItem>;

/** The rows of a table as items, in key order. */
function table<R extends pg.QueryResultRow>(
  name: string,
  key: readonly string[],
  columns: string,
  itemOf: (row: R) => DumpItem,
  page = PAGE,
): Dump {
  const names = key.join(', ');
  const after = `WHERE (${names}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
  const select = (where: string): string => `SELECT ${columns} FROM svc.${name} ${where} ORDER BY ${names} LIMIT ${page}`;
  return async function* (client) {
    let { rows } = await client.query<R>(select(''));
    for (;;) {
      for (const row of rows) yield itemOf(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < page) return;
      const values = key.map((column) => last[column]);
      ({ rows } = await client.query<R>(select(after), values));
    }
  };
}

interface ContentRow {
  readonly run_id: string;
  readonly name: string;
  readonly bytes: Buffer;
  readonly expires_at: number | null;
}

async function totalsIn(client: pg.Client): Promise<StoreTotals> {
  const { rows: heads } = await client.query<HeadRow>('SELECT seq, hash FROM svc.head');
  const { rows: counts } = await client.query<RunCountRow>('SELECT status, n FROM svc.run_count');
  return { head: headOf(heads), runs: countsOf(counts) };
}

const TABLES: readonly Dump[] = [
  table<LedgerEntry>('ledger', ['seq'], 'seq, hash, record_type, model_id, bytes', (record) => ({ kind: 'record', record })),
  table<SessionHead>('session', ['key'], 'key, number, seq, hash', (head) => ({ kind: 'session', head })),
  table<StoredRun>('run', ['run_id'], 'run_id, body', (row) => ({ kind: 'run', run: runOf(row) })),
  table<ContentRow>(
    'content',
    ['run_id', 'name'],
    'run_id, name, bytes, expires_at',
    ({ run_id, bytes, ...item }) => ({ kind: 'content', run_id, item: { ...item, bytes: new Uint8Array(bytes) } }),
    CONTENT_PAGE,
  ),
  table<{ key: string; run_id: string }>('unique_key', ['key'], 'key, run_id', (row) => ({ kind: 'unique_key', ...row })),
  table<CounterRow & { key: string }>(
    'counter',
    ['key'],
    'key, spent, held, since, expires_at',
    ({ key, ...row }): DumpItem => ({ kind: 'counter', key, row }),
  ),
  table<ReservationRow & { id: string }>(
    'reservation',
    ['id'],
    'id, holds, expires_at',
    ({ id, ...row }): DumpItem => ({ kind: 'reservation', id, row }),
  ),
  table<{ name: string; token: number }>('lease', ['name'], 'name, token', (row) => ({ kind: 'lease', ...row })),
  table<{ name: string; seq: number }>('cursor', ['name'], 'name, seq', (row) => ({ kind: 'cursor', ...row })),
  table<{ key: string; value: string }>('meta', ['key'], 'key, value', (row) => ({ kind: 'meta', ...row })),
];

/** Reads the whole database in one snapshot. */
export async function* dump(database: DatabaseUrl, totals?: (kept: StoreTotals) => void): AsyncGenerator<DumpItem> {
  const client = await openSession(database, 'read', MAX_IDLE_MS, null).catch((error: unknown) => {
    throw unreachable(error);
  });
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    totals?.(await totalsIn(client));
    for (const items of TABLES) yield* items(client);
  } catch (error) {
    throw unreachable(error);
  } finally {
    await closeSession(client);
  }
}
