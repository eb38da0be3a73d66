import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import pg from 'pg';

const CONNECT_MS = 5_000;
/** A search among a million vectors takes a few seconds. Creating an index may take many minutes, so it has no limit. */
const STATEMENT_MS = 30_000;

export type Statements = Pick<pg.PoolClient, 'query'>;

/** A connection pool. Every failure becomes a StoreError that contains none of the sent data. */
export class Database {
  readonly #pool: pg.Pool;
  #closing: Promise<void> | null = null;

  constructor(url: string, max: number, logger: Logger) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max,
      application_name: 'svc',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    this.#pool.on('error', (error) => logger.warn({ event: 'vectors_connection_lost', reason: codeOf(error) }));
    // Outside the pool, a client has no error listener. The listener is added at once, because the server may close a connection right after opening
    // it.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>, { bounded = true } = {}): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    let broken = false;
    try {
      await client.query('BEGIN');
      if (bounded) await client.query(`SET LOCAL statement_timeout = ${STATEMENT_MS}`);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      throw unreachable(error);
    } finally {
      client.release(broken);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }
}

/** The server's message may quote data. */
function unreachable(error: unknown): unknown {
  if (error instanceof Error && error.name === 'StoreError') return error;
  return new StoreError('UNREACHABLE', `the vector database failed (${codeOf(error)})`, { cause: codeOf(error) });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
