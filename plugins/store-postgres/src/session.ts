import pg from 'pg';

const CONNECT_MS = 10_000;
/** A process that is stopped in the middle of long work, or cut off, keeps others waiting no longer than this. */
const MOST_IDLE_MS = 60_000;

/** All of ours are safe integers: seqs, counts, milliseconds, micro-dollars. */
export function numbersForBigint(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return types;
}

/** A connection of its own, for work that takes longer than the pools allow; its caller ends it. What breaks it rejects the statement under way. */
export async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    types: numbersForBigint(),
    application_name: 'svc',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: MOST_IDLE_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function closeSession(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
