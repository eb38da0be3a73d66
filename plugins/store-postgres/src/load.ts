import { type DumpItem, type DumpKind, type LedgerEntry, type LedgerHead, StoreError } from '@svc/sdk/store';
import { assertChained, inBatches } from '@svc/toolkit/store';
import pg from 'pg';
import { LOCK_HEAD } from './commit.ts';
import { LOCK_COUNTERS } from './counters.ts';
import { unreachable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { type HeadRow, headOf } from './rows.ts';
import { closeSession, openSession } from './session.ts';

/** Long, because a producer may be slow. */
const MAX_IDLE_MS = 60_000;

interface Target {
  readonly table: string;
  /** Values in the order of `rowOf`. */
  readonly columns: Readonly<Record<string, string>>;
}

const TARGETS: Readonly<Record<DumpKind, Target>> = {
  record: { table: 'ledger', columns: { seq: 'bigint', hash: 'text', record_type: 'text', model_id: 'text', bytes: 'text' } },
  session: { table: 'session', columns: { key: 'text', number: 'bigint', seq: 'bigint', hash: 'text' } },
  run: {
    table: 'run',
    columns: {
      run_id: 'text',
      created_at: 'text',
      status: 'text',
      route: 'text',
      principal_id: 'text',
      owner: 'text',
      session: 'text',
      body: 'text',
    },
  },
  unique_key: { table: 'unique_key', columns: { key: 'text', run_id: 'text' } },
  content: { table: 'content', columns: { run_id: 'text', name: 'text', bytes: 'bytea', expires_at: 'bigint' } },
  counter: {
    table: 'counter',
    columns: { key: 'text', spent: 'bigint', held: 'bigint', since: 'bigint', expires_at: 'bigint' },
  },
  reservation: { table: 'reservation', columns: { id: 'text', holds: 'jsonb', expires_at: 'bigint' } },
  lease: { table: 'lease', columns: { name: 'text', token: 'bigint', expires_at: 'timestamptz' } },
  cursor: { table: 'cursor', columns: { name: 'text', seq: 'bigint' } },
  meta: { table: 'meta', columns: { key: 'text', value: 'text' } },
};

function rowOf(item: DumpItem): unknown[] {
  switch (item.kind) {
    case 'record': {
      const { seq, hash, record_type, model_id, bytes } = item.record;
      return [seq, hash, record_type, model_id, bytes];
    }
    case 'run': {
      const { run_id, created_at, status, route, principal_id, owner, session = null } = item.run;
      return [run_id, created_at, status, route, principal_id, owner, session, JSON.stringify(item.run)];
    }
    case 'session': {
      const { key, number, seq, hash } = item.head;
      return [key, number, seq, hash];
    }
    case 'unique_key':
      return [item.key, item.run_id];
    case 'content':
      return [item.run_id, item.item.name, Buffer.from(item.item.bytes), item.item.expires_at];
    case 'counter':
      return [item.key, item.row.spent, item.row.held, item.row.since, item.row.expires_at];
    case 'reservation':
      return [item.id, JSON.stringify(item.row.holds), item.row.expires_at];
    case 'lease':
      return [item.name, item.token, '-infinity'];
    case 'cursor':
      return [item.name, item.seq];
    case 'meta':
      return [item.key, item.value];
  }
}

/** Inserts items of one kind with one statement. */
async function insert(client: pg.Client, kind: DumpKind, items: readonly DumpItem[]): Promise<void> {
  const { table, columns } = TARGETS[kind];
  const rows = items.map(rowOf);
  const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
  await client.query(
    `INSERT INTO svc.${table} (${Object.keys(columns).join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`,
    Object.keys(columns).map((_, i) => rows.map((row) => row[i])),
  );
}

async function isEmpty(client: pg.Client, head: LedgerHead | null): Promise<boolean> {
  const tables = Object.values(TARGETS).map(({ table }) => `EXISTS (SELECT 1 FROM svc.${table})`);
  const { rows } = await client.query<{ filled: boolean }>(`SELECT ${tables.join(' OR ')} AS filled`);
  return head === null && rows[0]?.filled === false;
}

/** Runs as part of the transaction. */
async function loadAll(client: pg.Client, items: AsyncIterable<DumpItem>): Promise<void> {
  const locked = await client.query<HeadRow>(LOCK_HEAD);
  await client.query(LOCK_COUNTERS);
  if (!(await isEmpty(client, headOf(locked.rows)))) {
    throw new StoreError('NOT_EMPTY', 'the database is not empty: choose an empty database');
  }
  let head: LedgerHead | null = null;
  for await (const { items: batch } of inBatches(items)) {
    const records: LedgerEntry[] = batch.flatMap((item) => (item.kind === 'record' ? [item.record] : []));
    assertChained(head, records);
    head = records.at(-1) ?? head;
    for (const [kind, those] of Map.groupBy(batch, ({ kind }) => kind)) await insert(client, kind, those);
  }
  await client.query('INSERT INTO svc.run_count (status, n) SELECT status, count(*) FROM svc.run GROUP BY status');
  if (head !== null) await client.query('UPDATE svc.head SET seq = $1, hash = $2', [head.seq, head.hash]);
}

/**
 * Loads a dump in one transaction.
 * @throws {StoreError} `NOT_EMPTY`, `CHAIN`, `UNREACHABLE`; errors of `items`
 */
export async function load(database: DatabaseUrl, items: AsyncIterable<DumpItem>): Promise<void> {
  const client = await openSession(database, 'write', MAX_IDLE_MS, null).catch((error: unknown) => {
    throw unreachable(error);
  });
  try {
    await client.query('BEGIN');
    await loadAll(client, items);
    await client.query('COMMIT');
  } catch (error) {
    // If the rollback fails, the connection is lost, and the server rolls back.
    const rolledBack = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    throw error instanceof pg.DatabaseError || !rolledBack ? unreachable(error) : error;
  } finally {
    await closeSession(client);
  }
}
