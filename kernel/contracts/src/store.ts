import type { CounterSettlement, Counters } from './counters.ts';
import type { DumpItem, StoreTotals } from './dump.ts';
import type { LedgerHead, LedgerRecordType, SealedRecord } from './ledger.ts';
import type { EvidencePointer, RunRow } from './run.ts';
import type { RunStatus } from './run-status.ts';

/**
 * Bytes that a run needs for a while (paused payload, node states, an answer kept for pick-up). Opaque to the store.
 * `expires_at`: milliseconds since the epoch from which on it cannot be read any more, null: kept until dropped.
 */
export interface ContentItem {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expires_at: number | null;
}

/** One run's move. The parts of a change are written together or not at all. */
export interface RunChange {
  /** The whole new row; `version` is one more than the expected one. The store fills in `evidence`. */
  readonly run: RunRow;
  /** What the stored row must be for this change to win; null: there must be none. */
  readonly expect: { readonly status: RunStatus; readonly version: number; readonly owner: string } | null;
  readonly put_content: readonly ContentItem[];
  /** Names of content to delete, before `put_content` is written. */
  readonly drop_content: readonly string[];
  readonly settlements: readonly CounterSettlement[];
  /** Only for a new run: a key (principal and Idempotency-Key, at most 512 bytes) that no other run may have. */
  readonly unique_key?: string;
}

export type CommitOutcome =
  | { readonly result: 'committed'; readonly evidence: EvidencePointer | null }
  /** The expectation did not hold; `current` is the stored row, null if there is none. Nothing of this change was written. */
  | { readonly result: 'conflict'; readonly current: RunRow | null }
  /** `unique_key` is taken by this run. Nothing of this change was written. */
  | { readonly result: 'duplicate'; readonly run_id: string };

/**
 * Makes the ledger records of a commit. Called once inside the exclusive write, with the head as that write sees it (null: empty
 * ledger) and the indexes of the changes that won. Pure, synchronous and fast; `seq` goes on from the head without a gap.
 * Not called when nothing won, unless `changes` was empty.
 */
export type Seal = (head: LedgerHead | null, winners: readonly number[]) => readonly SealedRecord[];

export interface RunQuery {
  readonly status?: readonly RunStatus[];
  readonly route?: string;
  readonly principal?: string;
  readonly owner?: string;
  /** Inclusive lower bound of `created_at`, in that field's exact form. */
  readonly since?: string;
  /** 1 to 10,000. */
  readonly limit: number;
  /** `next` of the page before. A store may refuse a foreign one by throwing {@link BadCursor}. */
  readonly cursor?: string;
}

export interface RunPage {
  /** Newest first: by `created_at`, then `run_id`, descending. */
  readonly rows: readonly RunRow[];
  /** Null on the last page. */
  readonly next: string | null;
}

export interface LedgerQuery {
  /** Records with `seq` greater than this. */
  readonly since_seq: number;
  /** 1 to 10,001. */
  readonly limit: number;
  readonly model_id?: string;
  readonly record_type?: LedgerRecordType;
}

export interface StoredRecord {
  readonly seq: number;
  /** Exactly the bytes that were sealed. */
  readonly bytes: string;
}

/** The right to do what only one process may do at a time. `token` grows with every new holder of the name. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

/** Thrown by queries for a cursor that this store did not give out. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

/**
 * `CLOSED`: not open. `HELD`: another process has it for itself. `SCHEMA`: not written by a version that this one can read. `OPEN`: it
 * cannot be opened. `UNREACHABLE`: it cannot be opened, read or written now, which may pass: a gateway that starts waits for it. `FULL`: its reserve of free space is reached.
 * `STOPPED`: an earlier write failed, nothing more is written until it is opened again. `CHAIN`: the sealed records do not go on from
 * the ledger's head. `NAME`: a name that it cannot keep. `NOT_EMPTY`: it was to be loaded and holds something. `DAMAGED`: what was asked for is
 * not what was written, or cannot be read without harm.
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

/** Records from one seq through another. */
export interface SeqRange {
  readonly from: number;
  readonly through: number;
}

/**
 * What a store throws where it cannot do what it was asked; callers of the gateway get SVC-STORE-001. The message is for the operator:
 * it names the place and the remedy, never a secret or what was to be stored.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** With `DAMAGED`: records among which all that are damaged are; null where it is not records, or not known which. */
  readonly damaged_seqs: SeqRange | null;
  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; damaged_seqs?: SeqRange } = {}) {
    super(message, options);
    this.code = code;
    this.damaged_seqs = options.damaged_seqs ?? null;
  }
}

/** Over two loaded copies of the contracts, too. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError';
}

/**
 * `serve`: for a gateway. `as_found`: for a tool that works on what is there; opening it makes nothing, and refuses where there is nothing.
 * `read`: the same for a tool that only reads: nothing is written, so that it may lie where nothing can be, and nothing is read that could
 * do harm (`DAMAGED`).
 */
export type StoreAccess = 'serve' | 'as_found' | 'read';

/**
 * Keeps runs, content, the ledger, counters, leases and cursors. One instance serves one gateway process; several processes may
 * share what is behind it. Every write is durable (fsynced) when its promise resolves. A rejected `commit` may or may not have
 * happened; the kernel reads the row to learn which. After a failed write a store may refuse all further writes until it is reopened.
 *
 * Authors must not hand out a record before it is durable, cache rows across processes, reorder, change `bytes`, or append to the
 * ledger outside `commit`.
 */
export interface Store {
  /**
   * Whether one process has it for itself while it is open: then whoever left something behind is dead. False where processes share what is
   * behind it; then leases tell who lives.
   */
  readonly exclusive: boolean;

  /**
   * Opens or creates, migrates, takes whatever exclusive hold it needs. Throws with a remedy: held by another process (with its pid), newer schema, not writable.
   * @param access `serve` unless given
   */
  open(access?: StoreAccess): Promise<void>;

  /**
   * Applies changes in order (a later one sees an earlier one's row) in one exclusive, atomic write, then appends what `seal` gives.
   * Conflicts and duplicates do not hurt the others. With no changes it only appends. Where there is nothing to append either it is a trial:
   * it writes to disk as a commit does, some 100 kB, and leaves nothing; it rejects where a commit would, on a full disk for one.
   */
  commit(changes: readonly RunChange[], seal: Seal): Promise<readonly CommitOutcome[]>;

  run(run_id: string): Promise<RunRow | null>;
  /** Of those of these runs that are there. */
  statuses(run_ids: readonly string[]): Promise<ReadonlyMap<string, RunStatus>>;
  runs(query: RunQuery): Promise<RunPage>;
  /** Every status has its number. */
  countRuns(): Promise<Record<RunStatus, number>>;

  /** Null where there is none or it has expired, whether or not `expireContent` came by. */
  content(run_id: string, name: string): Promise<Uint8Array | null>;
  /** Deletes all content of a run. Resolves to the number of items. */
  eraseContent(run_id: string): Promise<number>;
  /** Runs that have content, expired or not, with ids greater than `after`, in order of their ids; at most `limit`, 1 to 1,000. */
  runsWithContent(after: string, limit: number): Promise<readonly string[]>;
  /** Deletes content that expired at or before `now`, at most `limit` items. Resolves to their number. */
  expireContent(now: number, limit: number): Promise<number>;

  head(): Promise<LedgerHead | null>;
  /** In order of `seq`. */
  records(query: LedgerQuery): Promise<readonly StoredRecord[]>;
  /** The records of these seqs that exist, in the order asked. */
  recordsBySeq(seqs: readonly number[]): Promise<readonly StoredRecord[]>;

  readonly counters: Counters;

  /** Takes or renews the lease for `ttl_ms`; null while another holder's has not run out. Renewing keeps the token. */
  acquireLease(name: string, holder: string, ttl_ms: number): Promise<Lease | null>;
  /** Lets go, if still held with this token. */
  releaseLease(lease: Lease): Promise<void>;
  /** The holder now, null where there is none or it ran out. */
  leaseHolder(name: string): Promise<string | null>;
  /**
   * Deletes leases whose names begin so and that ran out at least `lapsed_ms` ago. Resolves to their number. Their tokens begin anew, so it is
   * only for names that nobody takes up again.
   */
  forgetLeases(prefix: string, lapsed_ms: number): Promise<number>;
  /** Milliseconds since the epoch by the clock that leases run by: where processes share the store, one clock for all of them. */
  now(): Promise<number>;

  /** An exporter's cursor; 0 where there is none. */
  cursor(name: string): Promise<number>;
  /** Moves a cursor while `lease` is the newest of its name; resolves to false (and writes nothing) for a stale token. */
  moveCursor(name: string, seq: number, lease: Lease): Promise<boolean>;

  /** Small values of the kernel's own (the ledger's id, checkpoints). */
  readMeta(key: string): Promise<string | null>;
  /** Compare-and-set; `expected` null: there is none yet. Resolves to whether it was written. */
  writeMeta(key: string, expected: string | null, value: string): Promise<boolean>;

  /**
   * Everything that it keeps, as it is at one moment: what is written meanwhile is not among it. Records come first, in order of `seq`;
   * the rest in any order. Whoever begins to read must read to the end or `return`.
   * @param totals is told, before the first item, what is kept (not counted) of how much there was at that moment
   */
  dump(totals?: (kept: StoreTotals) => void): AsyncIterable<DumpItem>;
  /**
   * Fills a store that holds nothing with the dump of another, all or nothing: after a rejection, or where the process was killed, it holds
   * nothing once it is opened again. What `items` throws reaches the caller. Nothing else may be asked of the store until it resolves.
   * @throws {StoreError} `NOT_EMPTY`, with what it holds untouched; `CHAIN`, where records do not go on from one another
   */
  load(items: AsyncIterable<DumpItem>): Promise<void>;

  /**
   * Copies everything, as it is at one moment, into a folder that is empty or not there, from which another instance opens; on disk when it
   * resolves. Asked of a store that is not open: other processes may have it, and go on writing. Left out where that is not for a store to do.
   * @throws {StoreError} `OPEN`, `SCHEMA`, `NOT_EMPTY`, `FULL`, `DAMAGED`
   */
  backup?(folder: string, progress: (bytes: number, of: number) => void): Promise<void>;

  /**
   * Resolves once all that was there when it was opened has been looked at, and may be read. Left out where nothing that is kept can harm its
   * reader; until it resolves a gateway lets nobody read what is old. Never rejects: what is damaged rejects when it is asked for.
   */
  whenChecked?(): Promise<void>;

  /** Waits for writes in flight, lets go of the folder or connections. */
  close(): Promise<void>;
}
