import { type Logger, StoreError } from '@svc/sdk';
import pg from 'pg';

const CONNECT_MS = 5_000;
/** A search through a million vectors takes a few seconds; making an index may take many minutes and is not bound. */
const STATEMENT_MS = 30_000;

export type Statements = Pick<pg.PoolClient, 'query'>;

/** Connections to the database, made when needed. Everything that goes wrong is a StoreError without a word of what was sent. */
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
    // While one is out of the pool nobody else listens. From the first moment: the server may end a connection in the same bytes in which
    // it opens it.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** All or nothing. */
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

/** A server's own message may quote what it was sent. */
function unreachable(error: unknown): unknown {
  if (error instanceof Error && error.name === 'StoreError') return error;
  return new StoreError('UNREACHABLE', `the database of vectors failed (${codeOf(error)})`, { cause: codeOf(error) });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
