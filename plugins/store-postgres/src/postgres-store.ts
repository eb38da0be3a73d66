import type { PluginDeps } from '@svc/sdk';
import {
  type CommitOutcome,
  type CounterHold,
  type Counters,
  type DumpItem,
  type Lease,
  type LedgerHead,
  type LedgerQuery,
  type ReserveOutcome,
  type RunChange,
  type RunPage,
  type RunQuery,
  type RunRow,
  type RunStatus,
  type SessionHead,
  type Store,
  type StoreAccess,
  type StoredRecord,
  StoreError,
  type StoreTotals,
  type UnplacedRecord,
} from '@svc/sdk/store';
import { checkStoreName, isStoreName, prepareChange, usedOf } from '@svc/toolkit/store';
import { commit } from './commit.ts';
import { Connections } from './connections.ts';
import { type AskedReservation, reserveGroup } from './counters.ts';
import { type DatabaseUrl, databaseUrl } from './database-url.ts';
import { dump } from './dump.ts';
import { Gatherer } from './gatherer.ts';
import { acquireLease, databaseNow, forgetLeases, leaseHolder, moveCursor, releaseLease } from './leases.ts';
import { queryRecords, recordsBySeq } from './ledger-query.ts';
import { load } from './load.ts';
import { assertMigrated, migrate } from './migrate.ts';
import { countsOf, type HeadRow, headOf, type RunCountRow, runOf, type StoredRun } from './rows.ts';
import { queryRuns } from './run-query.ts';

const MAX_RESERVED_AT_ONCE = 256;

export interface PostgresOptions {
  readonly url: string;
  /** Maximum number of connections for reading. */
  readonly connections: number;
}

/** The store contract on one database, which several processes may share. */
export class PostgresStore implements Store {
  readonly exclusive = false;
  readonly #options: PostgresOptions;
  readonly #deps: Pick<PluginDeps, 'clock' | 'logger'>;
  readonly #ahead: () => number;
  readonly #reservations: Gatherer<AskedReservation, ReserveOutcome>;
  #database: DatabaseUrl | null = null;
  #connections: Connections | null = null;

  /** @param ahead returns milliseconds to add to the database's clock for leases, for tests */
  constructor(options: PostgresOptions, deps: Pick<PluginDeps, 'clock' | 'logger'>, ahead: () => number = () => 0) {
    this.#options = options;
    this.#deps = deps;
    this.#ahead = ahead;
    this.#reservations = new Gatherer(MAX_RESERVED_AT_ONCE, (asked) => reserveGroup(this.#db, asked, deps.clock.now()));
  }

  async open(access: StoreAccess = 'serve'): Promise<void> {
    if (this.#connections !== null) throw new StoreError('OPEN', 'the database is already open');
    const { logger } = this.#deps;
    const database = databaseUrl(this.#options.url);
    if (database.warning === 'not_encrypted') logger.warn({ event: 'store_not_encrypted' });
    if (database.warning === 'not_verified') logger.warn({ event: 'store_not_verified' });
    await (access === 'serve' ? migrate(database, logger) : assertMigrated(database));
    this.#database = database;
    this.#connections = new Connections(database, this.#options.connections, logger);
  }

  /** Lets running statements finish. */
  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = null;
    await connections?.close();
  }

  get #db(): Connections {
    if (this.#connections === null) throw new StoreError('CLOSED', 'the database is not open');
    return this.#connections;
  }

  /** For operations that need a session of their own. */
  get #opened(): DatabaseUrl {
    if (this.#connections === null || this.#database === null) throw new StoreError('CLOSED', 'the database is not open');
    return this.#database;
  }

  async commit(changes: readonly RunChange[], records: readonly UnplacedRecord[]): Promise<readonly CommitOutcome[]> {
    return commit(this.#db, changes.map(prepareChange), records, this.#deps.clock.now());
  }

  async run(run_id: string): Promise<RunRow | null> {
    if (!isStoreName(run_id)) return null;
    const [row] = await this.#db.read<StoredRun>('SELECT body FROM svc.run WHERE run_id = $1', [run_id]);
    return row === undefined ? null : runOf(row);
  }

  async statuses(run_ids: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> {
    const rows = await this.#db.read<{ run_id: string; status: RunStatus }>(
      'SELECT run_id, status FROM svc.run WHERE run_id = ANY($1)',
      [run_ids.filter(isStoreName)],
    );
    return new Map(rows.map(({ run_id, status }) => [run_id, status]));
  }

  async runs(query: RunQuery): Promise<RunPage> {
    return queryRuns(this.#db, query);
  }

  async runOfKey(unique_key: string): Promise<string | null> {
    const [row] = await this.#db.read<{ run_id: string }>('SELECT run_id FROM svc.unique_key WHERE key = $1', [unique_key]);
    return row?.run_id ?? null;
  }

  async countRuns(): Promise<Record<RunStatus, number>> {
    return countsOf(await this.#db.read<RunCountRow>('SELECT status, n FROM svc.run_count'));
  }

  async content(run_id: string, name: string): Promise<Uint8Array | null> {
    if (!isStoreName(run_id) || !isStoreName(name)) return null;
    const [row] = await this.#db.read<{ bytes: Buffer }>(
      'SELECT bytes FROM svc.content WHERE run_id = $1 AND name = $2 AND (expires_at IS NULL OR expires_at > $3)',
      [run_id, name, this.#deps.clock.now()],
    );
    return row === undefined ? null : new Uint8Array(row.bytes);
  }

  async eraseContent(run_id: string): Promise<number> {
    if (!isStoreName(run_id)) return 0;
    return (await this.#db.write('DELETE FROM svc.content WHERE run_id = $1 RETURNING name', [run_id])).length;
  }

  async runsWithContent(after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#db.read<{ run_id: string }>(
      'SELECT DISTINCT run_id FROM svc.content WHERE run_id > $1 ORDER BY run_id LIMIT $2',
      [after, limit],
    );
    return rows.map(({ run_id }) => run_id);
  }

  async expireContent(now: number, limit: number): Promise<number> {
    const gone = await this.#db.write(
      // Materialised: with SKIP LOCKED, a plan that evaluates the subquery once per row would find different rows each time.
      `WITH due AS MATERIALIZED (
         SELECT run_id, name FROM svc.content WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM svc.content c USING due WHERE c.run_id = due.run_id AND c.name = due.name RETURNING c.name`,
      [now, limit],
    );
    return gone.length;
  }

  async head(): Promise<LedgerHead | null> {
    return headOf(await this.#db.read<HeadRow>('SELECT seq, hash FROM svc.head'));
  }

  async sessionHead(key: string): Promise<SessionHead | null> {
    if (!isStoreName(key)) return null;
    const [head] = await this.#db.read<SessionHead>('SELECT key, number, seq, hash FROM svc.session WHERE key = $1', [key]);
    return head ?? null;
  }

  async records(query: LedgerQuery): Promise<readonly StoredRecord[]> {
    return queryRecords(this.#db, query);
  }

  async recordsBySeq(seqs: readonly number[]): Promise<readonly StoredRecord[]> {
    return recordsBySeq(this.#db, seqs);
  }

  readonly counters: Counters = {
    reserve: async (id: string, holds: readonly CounterHold[]): Promise<ReserveOutcome> => {
      checkStoreName('reservation', id);
      for (const { key } of holds) checkStoreName('counter', key);
      return this.#reservations.ask({ id, holds: structuredClone(holds) });
    },
    read: async (keys: readonly string[]): Promise<number[]> => {
      const rows = await this.#db.read<{ key: string; spent: number; held: number; since: number; expires_at: number }>(
        'SELECT key, spent, held, since, expires_at FROM svc.counter WHERE key = ANY($1)',
        [keys.filter(isStoreName)],
      );
      const counters = new Map(rows.map((row) => [row.key, row]));
      const now = this.#deps.clock.now();
      return keys.map((key) => usedOf({ counter: (asked) => counters.get(asked) ?? null }, now, key));
    },
  };

  async acquireLease(name: string, holder: string, ttl_ms: number): Promise<Lease | null> {
    checkStoreName('lease', name);
    return acquireLease(this.#db, this.#ahead(), name, holder, ttl_ms);
  }

  async releaseLease(lease: Lease): Promise<void> {
    await releaseLease(this.#db, lease);
  }

  async leaseHolder(name: string): Promise<string | null> {
    return isStoreName(name) ? leaseHolder(this.#db, this.#ahead(), name) : null;
  }

  async forgetLeases(prefix: string, lapsed_ms: number): Promise<number> {
    return forgetLeases(this.#db, this.#ahead(), prefix, lapsed_ms);
  }

  async now(): Promise<number> {
    return databaseNow(this.#db, this.#ahead());
  }

  async cursor(name: string): Promise<number> {
    if (!isStoreName(name)) return 0;
    const [row] = await this.#db.read<{ seq: number }>('SELECT seq FROM svc.cursor WHERE name = $1', [name]);
    return row?.seq ?? 0;
  }

  async moveCursor(name: string, seq: number, lease: Lease): Promise<boolean> {
    checkStoreName('cursor', name);
    return moveCursor(this.#db, name, seq, lease);
  }

  async readMeta(key: string): Promise<string | null> {
    if (!isStoreName(key)) return null;
    const [row] = await this.#db.read<{ value: string }>('SELECT value FROM svc.meta WHERE key = $1', [key]);
    return row?.value ?? null;
  }

  async writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    checkStoreName('meta', key);
    const written =
      expected === null
        ? await this.#db.write('INSERT INTO svc.meta (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING key', [
            key,
            value,
          ])
        : await this.#db.write('UPDATE svc.meta SET value = $2 WHERE key = $1 AND value = $3 RETURNING key', [
            key,
            value,
            expected,
          ]);
    return written.length > 0;
  }

  async *dump(totals?: (kept: StoreTotals) => void): AsyncGenerator<DumpItem> {
    yield* dump(this.#opened, totals);
  }

  async load(items: AsyncIterable<DumpItem>): Promise<void> {
    await load(this.#opened, items);
  }
}
