import type { Logger } from '@svc/sdk/plugin';
import pg from 'pg';
import { reasonOf, unreachable } from './database-error.ts';

/** A replica that is stopped, or cut off, in the middle of a write lets the others wait this long for the ledger's head. */
const MOST_IDLE_IN_WRITE_MS = 5_000;
/** Longer than the above: whoever waits behind such a replica gets its turn. */
const MOST_WAIT_FOR_LOCK_MS = 10_000;
/** After this a connection counts as broken, whatever the network says. */
const MOST_SILENCE_MS = 20_000;
const CONNECT_MS = 5_000;
/** Commits, reservations, leases: few at a time, since each kind is gathered. Apart from reads, so that these cannot keep them waiting. */
const WRITING = 4;
const BIGINT = 20;

function poolOf(url: string, max: number, logger: Logger): pg.Pool {
  const types = new pg.TypeOverrides();
  // All of ours are safe integers: seqs, counts, milliseconds, micro-dollars.
  types.setTypeParser(BIGINT, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    application_name: 'svc',
    keepAlive: true,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: MOST_SILENCE_MS,
    statement_timeout: MOST_SILENCE_MS,
    lock_timeout: MOST_WAIT_FOR_LOCK_MS,
    idle_in_transaction_session_timeout: MOST_IDLE_IN_WRITE_MS,
  });
  // A connection that breaks while nobody uses it; without a listener that ends the process.
  pool.on('error', (error) => logger.warn({ event: 'store_connection_lost', reason: reasonOf(error) }));
  return pool;
}

/** The process's connections to the database, made when needed and again after they broke. */
export class Connections {
  readonly #reading: pg.Pool;
  readonly #writing: pg.Pool;

  constructor(url: string, reading: number, logger: Logger) {
    this.#reading = poolOf(url, reading, logger);
    this.#writing = poolOf(url, WRITING, logger);
  }

  /** One statement that reads. @throws {StoreError} `UNREACHABLE` */
  read<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return rowsOf(this.#reading, text, values);
  }

  /** One statement that writes, and is a transaction of its own. @throws {StoreError} `UNREACHABLE` */
  write<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<R[]> {
    return rowsOf(this.#writing, text, values);
  }

  /**
   * Several statements, all or none. What `work` throws rolls them back and reaches the caller as it is; what it gives is durable when
   * this resolves.
   * @throws {StoreError} `UNREACHABLE`; after that the transaction may have happened all the same
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#writing.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    // While it is out of the pool, nobody else listens; the statement that is under way rejects with the same error.
    const swallow = (): void => undefined;
    client.on('error', swallow);
    const give = (broken: boolean): void => {
      client.off('error', swallow);
      client.release(broken);
    };
    try {
      const result = await work(new Transaction(client));
      give(false);
      return result;
    } catch (error) {
      // Whoever cannot even roll back has lost the connection, and the server rolls back.
      const rolledBack = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      give(!rolledBack);
      throw error instanceof pg.DatabaseError || !rolledBack ? unreachable(error) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reading.end(), this.#writing.end()]);
  }
}

async function rowsOf<R extends pg.QueryResultRow>(pool: pg.Pool, text: string, values: readonly unknown[]): Promise<R[]> {
  try {
    return (await pool.query<R>(text, [...values])).rows;
  } catch (error) {
    throw unreachable(error);
  }
}

/** Statements of one transaction. Those that are asked for in one turn go to the server together. */
export class Transaction {
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** First of all; what follows in the same turn sees what is there once `lock` (a statement) has its lock. */
  async begin<R extends pg.QueryResultRow>(lock: string): Promise<R[]> {
    const [, locked] = await Promise.all([this.#client.query('BEGIN'), this.#client.query<R>(lock)]);
    return locked.rows;
  }

  /** @param name under which the server keeps the statement's plan */
  async query<R extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return (await this.#client.query<R>({ name, text, values: [...values] })).rows;
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('COMMIT');
    // The server answers so where a statement before it failed.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }
}
