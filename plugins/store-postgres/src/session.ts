import pg from 'pg';
import type { DatabaseUrl } from './database-url.ts';

const CONNECT_MS = 10_000;
const LOCK_SHARE = 0.8;

/**
 * Options of every session. They override settings of the server, the database, the role and the URL that could make transactions read-only or change
 * their isolation level.
 * @param more further options as `-c name=value`
 */
export function sessionOptions(database: DatabaseUrl, access: 'read' | 'write', more = ''): string {
  const ours = `-c default_transaction_read_only=${access === 'read' ? 'on' : 'off'} -c default_transaction_isolation=read\\ committed`;
  return `${database.options} ${ours} ${more}`.trim();
}

/**
 * A separate connection for work that takes longer than the pools allow. The caller must close it. If it breaks, the running statement rejects.
 * @param idle_ms limit for an idle transaction, after which a stopped or disconnected process no longer blocks others
 * @param silence_ms a connection without any data for this long counts as broken; null: no limit
 */
export async function openSession(
  database: DatabaseUrl,
  access: 'read' | 'write',
  idle_ms: number,
  silence_ms: number | null,
): Promise<pg.Client> {
  const types = new pg.TypeOverrides();
  // The pools handle these values in the same way.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({
    connectionString: database.url,
    types,
    application_name: 'svc',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: idle_ms,
    options: sessionOptions(database, access),
    // Shorter than the silence limit, so that the server reports a lock timeout first.
    ...(silence_ms === null ? {} : { query_timeout: silence_ms, lock_timeout: Math.round(silence_ms * LOCK_SHARE) }),
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function closeSession(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
