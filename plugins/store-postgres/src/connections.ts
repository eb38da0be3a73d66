import { Socket } from 'node:net';
import type { Logger } from '@svc/sdk';
import pg from 'pg';
import { LostConnection, reasonOf, unreachable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { refuseUnsafe } from './safe-settings.ts';
import { sessionOptions } from './session.ts';

/** A replica that is stopped, or cut off, in the middle of a write lets the others wait this long for the ledger's head. */
const MAX_IDLE_IN_WRITE_MS = 5_000;
/** Longer than the above: whoever waits behind such a replica gets its turn. */
const MAX_WAIT_FOR_LOCK_MS = 8_000;
const CONNECT_MS = 5_000;
/** Statements of connections that are closed have this long. */
const CLOSING_MS = 2_000;
/** Commits, reservations, leases: few at a time, since each kind is gathered. Apart from reads, so that these cannot keep them waiting. */
const WRITING = 4;
const BIGINT = 20;

/**
 * What the server gives up after `statement_ms` it still tells. A connection that says nothing for `silence_ms` is broken, whatever the
 * network says. An audit page may take its time; a write keeps a caller waiting, and others behind it.
 */
const READS = { access: 'read', statement_ms: 20_000, silence_ms: 25_000 } as const;
const WRITES = { access: 'write', statement_ms: 10_000, silence_ms: 12_000 } as const;

/**
 * Every query of a page has an index in its order. Where the server has no figures of the table yet, it would take a bitmap of all rows that
 * match, and sort them.
 */
const PLANS = { read: '-c enable_bitmapscan=off', write: '' } as const;

/** The process's connections to the database, made when needed and again after they broke. */
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
    // All of ours are safe integers: seqs, counts, milliseconds, micro-dollars.
    types.setTypeParser(BIGINT, Number);
    const pool = new pg.Pool({
      connectionString: database.url,
      max,
      types,
      application_name: 'svc',
      stream: () => this.#socket(),
      // The server may be another than at the start: one that took over.
      ...(access === 'write' ? { onConnect: async (client) => void (await refuseUnsafe(client)) } : {}),
      keepAlive: true,
      pipeline: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: silence_ms,
      statement_timeout: statement_ms,
      lock_timeout: MAX_WAIT_FOR_LOCK_MS,
      idle_in_transaction_session_timeout: MAX_IDLE_IN_WRITE_MS,
      // A server that is sending to a process that takes nothing any more is not idle: this ends it all the same.
      options: sessionOptions(database, access, `-c tcp_user_timeout=${MAX_IDLE_IN_WRITE_MS} ${PLANS[access]}`),
    });
    // A connection that breaks while nobody uses it; without a listener that ends the process.
    pool.on('error', (error) => logger.warn({ event: 'store_connection_lost', reason: reasonOf(error) }));
    // While one is out of the pool nobody else listens, and the statement under way rejects with the same error. From the first moment: the
    // server may end a connection in the same bytes in which it opens it, before whoever asked for it has it.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** One statement that reads. @throws {StoreError} `UNREACHABLE` */
  read<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#repeat(this.#reading, (client) => rowsOf<R>(client, text, values));
  }

  /** One statement that writes, and is a transaction of its own. @throws {StoreError} `UNREACHABLE` */
  write<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<R[]> {
    return this.#use(this.#writing, (client) => rowsOf<R>(client, text, values));
  }

  /**
   * Several statements, all or none. What `work` throws rolls them back and reaches the caller as it is; what it gives is durable when
   * this resolves.
   * @throws {StoreError} `UNREACHABLE`; after that the transaction may have happened all the same
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let begun = false;
    const attempt = (client: pg.PoolClient): Promise<T> => {
      const tx = new Transaction(client, () => {
        begun = true;
      });
      return work(tx).catch(async (error: unknown) => {
        // Whoever cannot even roll back has lost the connection, and the server rolls back.
        await client.query('ROLLBACK').catch(() => {
          throw new LostConnection(error);
        });
        throw error instanceof pg.DatabaseError ? unreachable(error) : error;
      });
    };
    return this.#repeat(this.#writing, attempt, () => !begun);
  }

  /** Statements under way come to their end first, but are not waited for long. */
  async close(): Promise<void> {
    const impatience = setTimeout(() => this.#breakAll(), CLOSING_MS);
    await Promise.all([this.#reading.end(), this.#writing.end()]);
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearTimeout(impatience);
  }

  /** Asks again on another connection where one turns out to be broken: after a restart of the database all that lay idle are. */
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
      // The others are most likely silent too: whoever took one of them would have to wait as long again.
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

/** Statements of one transaction. Those that are asked for in one turn go to the server together. */
export class Transaction {
  readonly #client: pg.PoolClient;

  readonly #begun: () => void;

  constructor(client: pg.PoolClient, begun: () => void) {
    this.#client = client;
    this.#begun = begun;
  }

  /** First of all; what follows in the same turn sees what is there once `lock` (a statement) has its lock. */
  async begin<R extends pg.QueryResultRow>(lock: string): Promise<R[]> {
    const [, locked] = await Promise.all([
      // Read committed and read-write, by the options of the session.
      this.#client.query('BEGIN'),
      this.#client.query<R>(lock),
    ]);
    this.#begun();
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
