import pg from 'pg';
import type { DatabaseUrl } from './database-url.ts';

const CONNECT_MS = 10_000;
const LOCK_SHARE = 0.8;

/**
 * Options of every session, which stand above what is set for the server, the database or the role, and above those in the URL: where
 * transactions are read-only, or of another isolation, by default, ours are not.
 * @param more as `-c name=value`
 */
export function sessionOptions(database: DatabaseUrl, access: 'read' | 'write', more = ''): string {
  const ours = `-c default_transaction_read_only=${access === 'read' ? 'on' : 'off'} -c default_transaction_isolation=read\\ committed`;
  return `${database.options} ${ours} ${more}`.trim();
}

/**
 * A connection of its own, for work that takes longer than the pools allow; its caller ends it. What breaks it rejects the statement under way.
 * @param idle_ms so long a process that is stopped in a transaction, or cut off, keeps others waiting
 * @param silence_ms after this without an answer the connection counts as broken; null: what is asked may take any time
 */
export async function openSession(
  database: DatabaseUrl,
  access: 'read' | 'write',
  idle_ms: number,
  silence_ms: number | null,
): Promise<pg.Client> {
  const types = new pg.TypeOverrides();
  // As in the pools.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({
    connectionString: database.url,
    types,
    application_name: 'svc',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: idle_ms,
    options: sessionOptions(database, access),
    // The server tells of a lock that it could not have before its silence counts.
    ...(silence_ms === null ? {} : { query_timeout: silence_ms, lock_timeout: Math.round(silence_ms * LOCK_SHARE) }),
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function closeSession(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
