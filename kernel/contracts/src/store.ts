import type { ContentItem } from './content-item.ts';
import type { CounterSettlement, Counters } from './counters.ts';
import type { DumpItem, StoreTotals } from './dump.ts';
import type { LedgerHead, LedgerRecordType, SessionHead, UnplacedRecord } from './ledger.ts';
import type { EvidencePointer, RunRow } from './run.ts';
import type { RunStatus } from './run-status.ts';

/** A state change of one run. All of its parts are written, or none. */
export interface RunChange {
  /**
   * Unique, and kept in the row. If a change is repeated because its result was lost, the repetition returns `committed` and writes nothing. Absent:
   * a repetition conflicts.
   */
  readonly id?: string;
  /** The whole new row. `version` is one more than the expected one. The store fills in `evidence`. */
  readonly run: RunRow;
  /** The expected stored row, for compare-and-set. Null: no row. */
  readonly expect: { readonly status: RunStatus; readonly version: number; readonly owner: string } | null;
  readonly put_content: readonly ContentItem[];
  /** Names of content to delete, before `put_content` is written. */
  readonly drop_content: readonly string[];
  readonly settlements: readonly CounterSettlement[];
  /** Only for a new run: a unique key (principal and Idempotency-Key, at most 512 bytes). */
  readonly unique_key?: string;
}

export type CommitOutcome =
  | { readonly result: 'committed'; readonly evidence: EvidencePointer | null }
  /** The stored row differs from `expect`. `current` is the stored row; null if there is none. Nothing of this change was written. */
  | { readonly result: 'conflict'; readonly current: RunRow | null }
  /** `unique_key` belongs to this run already. Nothing of this change was written. */
  | { readonly result: 'duplicate'; readonly run_id: string };

export interface RunQuery {
  readonly status?: readonly RunStatus[];
  readonly route?: string;
  readonly principal?: string;
  readonly session?: string;
  readonly owner?: string;
  /** Inclusive lower bound of `created_at`, in that field's exact form. */
  readonly since?: string;
  /** Exclusive upper bound of `created_at`, in that field's exact form. */
  readonly until?: string;
  /** 1 to 10,000. */
  readonly limit: number;
  /** `next` of the previous page. A store may reject another store's cursor with {@link BadCursor}. */
  readonly cursor?: string;
}

export interface RunPage {
  /** Newest first: by `created_at`, then `run_id`, descending. */
  readonly rows: readonly RunRow[];
  /** Null on the last page. */
  readonly next: string | null;
}

export interface LedgerQuery {
  /** Only records with a higher `seq` are returned. */
  readonly since_seq: number;
  /** 1 to 10,001. */
  readonly limit: number;
  readonly model_id?: string;
  readonly record_type?: LedgerRecordType;
}

export interface StoredRecord {
  readonly seq: number;
  /** Exactly the bytes that were written. */
  readonly bytes: string;
}

/** A lease for work that only one process may do at a time. `token` grows with every new holder of the name. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

/** Thrown by queries for a cursor that does not come from this store. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

/**
 * `CLOSED`: the store is not open. `HELD`: another process has locked it. `SCHEMA`: an unsupported version wrote it. `OPEN`: it cannot be opened.
 * `UNREACHABLE`: temporarily unavailable; a starting gateway waits for it. `FULL`: only the reserved free space is left. `STOPPED`: an earlier write
 * failed, so nothing is written until the store is reopened. `CHAIN`: the records do not continue from the ledger's head. `NAME`: an unsupported
 * name. `NOT_EMPTY`: the target of a load is not empty. `DAMAGED`: the data differs from what was written, or cannot be read safely.
 */
export type StoreErrorCode =
  | 'CLOSED'
  | 'HELD'
  | 'SCHEMA'
  | 'OPEN'
  | 'UNREACHABLE'
  | 'FULL'
  | 'STOPPED'
  | 'CHAIN'
  | 'NAME'
  | 'NOT_EMPTY'
  | 'DAMAGED';

/** A range of records, both ends included. */
export interface SeqRange {
  readonly from: number;
  readonly through: number;
}

/**
 * Thrown by a store on failure. Callers of the gateway get SVC-STORE-001. The message is for the operator. It names the place and the remedy, and
 * never contains a secret or stored data.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** With `DAMAGED`: a range that includes all damaged records; null if something other than records is damaged, or the range is unknown. */
  readonly damaged_seqs: SeqRange | null;
  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; damaged_seqs?: SeqRange } = {}) {
    super(message, options);
    this.code = code;
    this.damaged_seqs = options.damaged_seqs ?? null;
  }
}

/** Unlike `instanceof`, this works when two copies of the contracts are loaded. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError';
}

/**
 * `serve`: for a gateway. `must_exist`: for a tool that works on an existing store. If there is none, opening fails and creates nothing. `read`: as
 * `must_exist`, but read-only, so it works on read-only media. Data that is unsafe to read is rejected (`DAMAGED`).
 */
export type StoreAccess = 'serve' | 'must_exist' | 'read';

/**
 * Stores runs, content, the ledger, counters, leases and cursors. One instance serves one gateway process; several processes may share the backend.
 * Every write is durable (fsynced) when its promise resolves. A rejected `commit` may or may not have been written; the kernel repeats it with the
 * same {@link RunChange.id}. After a failed write, a store may refuse all further writes until it is reopened. Authors must not return a record
 * before it is durable, cache rows across processes, reorder changes or records, modify `bytes`, or append to the ledger outside `commit`.
 */
export interface Store {
  /**
   * Whether an open store belongs to one process exclusively. If so, any earlier owner is dead. If processes share the backend, this is false, and
   * leases show which processes are alive.
   */
  readonly exclusive: boolean;

  /**
   * Opens or creates the store, migrates it, and takes the locks that it needs. Throws, with a remedy, if another process holds the store (the error
   * names its pid), the schema is newer, or the store is not writable.
   * @param access default: `serve`
   */
  open(access?: StoreAccess): Promise<void>;

  /**
   * Applies changes and appends records in one exclusive, atomic write. A later change sees the row of an earlier one. Records are appended in order,
   * except those of changes that were not applied. Conflicts and duplicates do not affect other changes. Without changes, it only appends. Without
   * records either, it is a test write: it writes about 100 kB to disk like a commit, leaves nothing behind, and rejects if a commit would, for
   * example on a full disk.
   */
  commit(changes: readonly RunChange[], records: readonly UnplacedRecord[]): Promise<readonly CommitOutcome[]>;

  run(run_id: string): Promise<RunRow | null>;
  /** The id of the run that has this {@link RunChange.unique_key}, or null. */
  runOfKey(unique_key: string): Promise<string | null>;
  /** The rows of those given runs that exist. */
  statuses(run_ids: readonly string[]): Promise<ReadonlyMap<string, RunStatus>>;
  runs(query: RunQuery): Promise<RunPage>;
  /** The number of runs in each status. */
  countRuns(): Promise<Record<RunStatus, number>>;

  /** Null if there is no such content or it has expired, even before `expireContent` deletes it. */
  content(run_id: string, name: string): Promise<Uint8Array | null>;
  /** Deletes all content of a run. Resolves to the number of items. */
  eraseContent(run_id: string): Promise<number>;
  /** Runs that have content, expired or not, in order of their ids. Starts after the id `after`, and returns at most `limit` runs (1 to 1,000). */
  runsWithContent(after: string, limit: number): Promise<readonly string[]>;
  /** Deletes content that expired at or before `now`, at most `limit` items. Resolves to their number. */
  expireContent(now: number, limit: number): Promise<number>;

  head(): Promise<LedgerHead | null>;
  /** The last record of a session, by the session's key. Null: it has none. */
  sessionHead(key: string): Promise<SessionHead | null>;
  /** In order of `seq`. */
  records(query: LedgerQuery): Promise<readonly StoredRecord[]>;
  /** The records with these seqs that exist, in the order of the argument. */
  recordsBySeq(seqs: readonly number[]): Promise<readonly StoredRecord[]>;

  readonly counters: Counters;

  /** Takes or renews the lease for `ttl_ms`. Null while another holder's lease is valid. A renewed lease keeps its token. */
  acquireLease(name: string, holder: string, ttl_ms: number): Promise<Lease | null>;
  /** Releases the lease if it is still held with this token. */
  releaseLease(lease: Lease): Promise<void>;
  /** The current holder. Null if there is none, or the lease has expired. */
  leaseHolder(name: string): Promise<string | null>;
  /**
   * Deletes leases with this name prefix that expired at least `lapsed_ms` ago. Resolves to their number. Tokens of deleted names start again, so use
   * it only for names that are never reused.
   */
  forgetLeases(prefix: string, lapsed_ms: number): Promise<number>;
  /** The time on the clock of the leases, in milliseconds since the epoch. All processes that share the store share this clock. */
  now(): Promise<number>;

  /** An exporter's cursor; 0 if there is none. */
  cursor(name: string): Promise<number>;
  /** Moves a cursor if `lease` is still the newest of its name. For a stale token, resolves to false and writes nothing. */
  moveCursor(name: string, seq: number, lease: Lease): Promise<boolean>;

  /** Small values of the kernel, such as the ledger's id and checkpoints. */
  readMeta(key: string): Promise<string | null>;
  /** Compare-and-set. `expected` null: there is no value yet. Resolves to whether the value was written. */
  writeMeta(key: string, expected: string | null, value: string): Promise<boolean>;

  /**
   * A consistent snapshot of everything in the store, without concurrent writes. Records come first, in order of `seq`; the rest comes in any order.
   * A reader must read to the end or call `return`.
   * @param totals is called before the first item, with the store's totals at the time of the snapshot
   */
  dump(totals?: (kept: StoreTotals) => void): AsyncIterable<DumpItem>;
  /**
   * Loads the dump of another store into this empty one: all or nothing. After a rejection or a killed process, the store is empty when it is opened
   * again. Errors of `items` are passed on. Do not use the store for anything else until the promise resolves.
   * @throws {StoreError} `NOT_EMPTY`, without changes; `CHAIN`, if the records are not consecutive
   */
  load(items: AsyncIterable<DumpItem>): Promise<void>;

  /**
   * Copies a consistent snapshot into a new or empty folder that another instance can open. The copy is on disk when the promise resolves. Called on
   * a store that this process has not opened; other processes may use it and continue to write. Absent if the store cannot make backups.
   * @throws {StoreError} `OPEN`, `SCHEMA`, `NOT_EMPTY`, `FULL`, `DAMAGED`
   */
  backup?(folder: string, progress: (bytes: number, of: number) => void): Promise<void>;

  /**
   * Resolves once all data that was stored before `open` has been checked and is safe to read. Until then, a gateway does not serve old data. Never
   * rejects: damaged data rejects when it is read. Absent if stored data is always safe to read.
   */
  whenChecked?(): Promise<void>;

  /** Waits for writes in flight, then releases the folder or connections. */
  close(): Promise<void>;
}
