import { Socket } from 'node:net';
import type { Logger } from '@svc/sdk';
import pg from 'pg';
import { LostConnection, reasonOf, unreachable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { refuseUnsafe } from './safe-settings.ts';
import { sessionOptions } from './session.ts';

/** If a replica is stopped or cut off in the middle of a write, the others wait at most this long for the ledger's head. */
const MAX_IDLE_IN_WRITE_MS = 5_000;
/** Longer than MAX_IDLE_IN_WRITE_MS, so that a write that waits for such a replica gets the lock. */
const MAX_WAIT_FOR_LOCK_MS = 8_000;
const CONNECT_MS = 5_000;
/** How long running statements have to end when connections are closed. */
const CLOSING_MS = 2_000;
/**
 * Number of connections for commits, reservations and leases. A few are enough, because each kind is batched. They are separate from reads, so that
 * reads cannot delay them.
 */
const WRITING = 4;
const BIGINT = 20;

/**
 * The server cancels a statement after `statement_ms` and reports that. A connection without any data for `silence_ms` counts as broken, whatever the
 * network reports. An audit page may be slow, but a slow write delays its caller and all writes queued after it.
 */
const READS = { access: 'read', statement_ms: 20_000, silence_ms: 25_000 } as const;
const WRITES = { access: 'write', statement_ms: 10_000, silence_ms: 12_000 } as const;

/**
 * Every query of a page has an index in its order. Without table statistics, the planner would choose a bitmap scan over all matches and sort them.
 */
const PLANS = { read: '-c enable_bitmapscan=off', write: '' } as const;

/** The connection pools of the process. Connections are made on demand, and made again after they break. */
export class Connections {
  readonly #reading: pg.Pool;
  readonly #writing: pg.Pool;
  readonly #sockets = new Set<Socket>();

  constructor(database: DatabaseUrl, reading: number, logger: Logger) {
    this.#reading = this.#poolOf(database, reading, READS, logger);
    this.#writing = this.#poolOf(database, WRITING, WRITES, logger);
  }

  #poolOf(
    database: DatabaseUrl,
    max: number,
    { access, statement_ms, silence_ms }: typeof READS | typeof WRITES,
    logger: Logger,
  ): pg.Pool {
    const types = new pg.TypeOverrides();
    // All numbers in the tables are safe integers: seqs, counts, milliseconds, micro-dollars.
    types.setTypeParser(BIGINT, Number);
    const pool = new pg.Pool({
      connectionString: database.url,
      max,
      types,
      application_name: 'svc',
      stream: () => this.#socket(),
      // After a failover, this may be another server than at start.
      ...(access === 'write' ? { onConnect: async (client) => void (await refuseUnsafe(client)) } : {}),
      keepAlive: true,
      pipeline: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: silence_ms,
      statement_timeout: statement_ms,
      lock_timeout: MAX_WAIT_FOR_LOCK_MS,
      idle_in_transaction_session_timeout: MAX_IDLE_IN_WRITE_MS,
      // A server that is sending to a stalled client does not count as idle. This setting also ends such a session.
      options: sessionOptions(database, access, `-c tcp_user_timeout=${MAX_IDLE_IN_WRITE_MS} ${PLANS[access]}`),
    });
    // Handles errors of idle connections. Without a listener, they would end the process.
    pool.on('error', (error) => logger.warn({ event: 'store_connection_lost', reason: reasonOf(error) }));
    // Outside the pool, a client has no error listener; the running statement rejects with the same error anyway. The listener is added at once,
    // because the server may close a connection right after opening it.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /**
   * Runs one read-only statement.
   * @throws {StoreError} `UNREACHABLE`
   */
  read<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#repeat(this.#reading, (client) => rowsOf<R>(client, text, values));
  }

  /**
   * Runs one writing statement as its own transaction.
   * @throws {StoreError} `UNREACHABLE`
   */
  write<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<R[]> {
    return this.#use(this.#writing, (client) => rowsOf<R>(client, text, values));
  }

  /**
   * Runs several statements atomically. If `work` throws, they are rolled back, and its error is rethrown. Durable when it resolves.
   * @throws {StoreError} `UNREACHABLE`: the transaction may still have been committed
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let begun = false;
    const attempt = (client: pg.PoolClient): Promise<T> => {
      const tx = new Transaction(client, () => {
        begun = true;
      });
      return work(tx).catch(async (error: unknown) => {
        // If the rollback fails, the connection is lost, and the server rolls back.
        await client.query('ROLLBACK').catch(() => {
          throw new LostConnection(error);
        });
        throw error instanceof pg.DatabaseError ? unreachable(error) : error;
      });
    };
    return this.#repeat(this.#writing, attempt, () => !begun);
  }

  /** Gives running statements a limited time to finish. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#breakAll(), CLOSING_MS);
    await Promise.all([this.#reading.end(), this.#writing.end()]);
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearTimeout(timer);
  }

  /** Retries on another connection if one turns out to be broken. After the database restarts, all idle connections are broken. */
  async #repeat<T>(
    pool: pg.Pool,
    work: (client: pg.PoolClient) => Promise<T>,
    mayRepeat: () => boolean = () => true,
  ): Promise<T> {
    for (let left = pool.totalCount; left > 0; left -= 1) {
      try {
        return await this.#use(pool, work);
      } catch (error) {
        if (!(error instanceof LostConnection) || error.silent || !mayRepeat()) throw error;
      }
    }
    return this.#use(pool, work);
  }

  async #use<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    let lost = false;
    try {
      return await work(client);
    } catch (error) {
      lost = error instanceof LostConnection;
      // The other connections are probably silent too, so a retry on one of them would wait just as long.
      if (error instanceof LostConnection && error.silent) this.#breakAll();
      throw error;
    } finally {
      client.release(lost);
    }
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function rowsOf<R extends pg.QueryResultRow>(
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<R[]> {
  try {
    return (await client.query<R>(text, [...values])).rows;
  } catch (error) {
    throw error instanceof pg.DatabaseError && error.severity !== 'FATAL' ? unreachable(error) : new LostConnection(error);
  }
}

/** A transaction. Statements issued in the same turn of the event loop are sent together. */
export class Transaction {
  readonly #client: pg.PoolClient;

  readonly #begun: () => void;

  constructor(client: pg.PoolClient, begun: () => void) {
    this.#client = client;
    this.#begun = begun;
  }

  /** Must be called first. Statements issued in the same turn run after the `lock` statement has its lock. */
  async begin<R extends pg.QueryResultRow>(lock: string): Promise<R[]> {
    const [, locked] = await Promise.all([
      // The session's options make the transaction read committed and read-write.
      this.#client.query('BEGIN'),
      this.#client.query<R>(lock),
    ]);
    this.#begun();
    return locked.rows;
  }

  /** @param name name of the prepared statement */
  async query<R extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return (await this.#client.query<R>({ name, text, values: [...values] })).rows;
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('COMMIT');
    // The server's reply to COMMIT is ROLLBACK if an earlier statement failed.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }
}
