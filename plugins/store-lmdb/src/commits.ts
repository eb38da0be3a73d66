import { randomBytes } from 'node:crypto';
import type { Clock } from '@svc/sdk';
import {
  type LedgerEntry,
  type LedgerHead,
  type RunRow,
  type RunStatus,
  type SessionHead,
  StoreError,
  type UnplacedRecord,
} from '@svc/sdk/store';
import { assertChained, type PreparedChange } from '@svc/toolkit/store';
import type { Transaction } from 'lmdb';
import { isPlain, type PlannedCommit, planCommit, putCommit } from './commit.ts';
import { frameOf, type Generation } from './log/frames.ts';
import { decodeGroup, encodeGroup, type Group, type Row } from './log/group.ts';
import { type Log, readLog } from './log/log.ts';
import { framesFor, type LogState, putLogState, readLogState } from './log/log-state.ts';
import type { Databases } from './tables/databases.ts';
import { assertFree, continues, forked, putRecords, readHead, readSessionHead } from './tables/ledger.ts';
import { olderStarts } from './tables/rebuild-run-index.ts';
import { putRows, readRow } from './tables/rows.ts';
import { allCounts, readCounts } from './tables/run-counts.ts';
import { SMALL, type Writer } from './writer.ts';

/*
 * A commit of only rows and records is one frame in the log. That waits for the disk once; LMDB would wait twice. The commit is then durable and
 * acknowledged. `Recent` keeps it in memory, so readers look there first, and in LMDB for everything else. Within 50 ms its rows and records are
 * written to LMDB, together with those of other commits. The first row of a run, `running`, is written to LMDB only when the log is full or closed:
 * most runs have ended by then, and their last row replaces it. Any other commit (content, unique keys, settlements) is an LMDB transaction, which
 * first writes what LMDB lacks. The log is read only when a folder is opened.
 */

/** How long LMDB may lag behind the log. */
const APPLY_AFTER_MS = 50;

/** Frame number of a start, higher than any other: starts are written to LMDB last. */
const START = Number.POSITIVE_INFINITY;

interface RecentRow extends Row {
  readonly frame: number;
}

interface RecentRecord extends LedgerEntry {
  readonly frame: number;
}

/** The rows and records in the log that LMDB may lack, each with its frame number. */
export class Recent {
  /** How many of the started runs are already included in LMDB's counts: all of them if a folder of schema 3 is read, otherwise none. */
  readonly counted: number;
  /** The newest row of each run. */
  readonly #rows = new Map<string, RecentRow>();
  #records: RecentRecord[] = [];
  /** The newest record of each session, by its key. */
  readonly #sessions = new Map<string, SessionHead>();
  /** The last known head of LMDB's ledger. */
  #settled: LedgerHead | null;

  constructor(settled: LedgerHead | null, counted = 0) {
    this.#settled = settled;
    this.counted = counted;
  }

  add(frame: number, { starts, rows, records }: Group): void {
    for (const row of starts) this.#rows.set(row.run.run_id, { ...row, frame: START });
    for (const row of rows) this.#rows.set(row.run.run_id, { ...row, frame });
    for (const record of records) this.#record({ ...record, frame });
  }

  #record(record: RecentRecord): void {
    this.#records.push(record);
    const { session, seq, hash } = record;
    if (session !== undefined) this.#sessions.set(session.key, { ...session, seq, hash });
  }

  /** Call it when LMDB has the frames up to this number. */
  forget(through: number): void {
    for (const [run_id, { frame }] of this.#rows) if (frame <= through) this.#rows.delete(run_id);
    const newest = this.#records.findLast(({ frame }) => frame <= through);
    if (newest !== undefined) this.settle(newest);
    for (const [key, { seq }] of this.#sessions) if (newest !== undefined && seq <= newest.seq) this.#sessions.delete(key);
    this.#records = this.#records.filter(({ frame }) => frame > through);
  }

  /** Call it when LMDB has the newest row of a run. */
  forgetRun(run_id: string): void {
    this.#rows.delete(run_id);
  }

  /** Call it when LMDB has this head, and everything before it. */
  settle(head: LedgerHead | null): void {
    this.#settled = head === null ? null : { seq: head.seq, hash: head.hash };
  }

  get settled(): LedgerHead | null {
    return this.#settled;
  }

  /** The head of the ledger. */
  get head(): LedgerHead | null {
    const newest = this.#records.at(-1);
    return newest === undefined ? this.#settled : { seq: newest.seq, hash: newest.hash };
  }

  /** In order of `seq`. */
  get records(): readonly RecentRecord[] {
    return this.#records;
  }

  /** By key; a snapshot. */
  get sessions(): ReadonlyMap<string, SessionHead> {
    return new Map(this.#sessions);
  }

  sessionHead(key: string): SessionHead | undefined {
    return this.#sessions.get(key);
  }

  row(run_id: string): RecentRow | undefined {
    return this.#rows.get(run_id);
  }

  /** Approximate number of bytes that LMDB will write for these. */
  get bytes(): number {
    return this.#records.reduce((sum, { bytes }) => sum + bytes.length, textsIn(this.rowsOf('ends')));
  }

  /** By run id; a snapshot. */
  get rows(): ReadonlyMap<string, RecentRow> {
    return new Map(this.#rows);
  }

  /** The rows to write to LMDB soon, or the starts. */
  rowsOf(what: 'ends' | 'starts'): readonly RecentRow[] {
    return [...this.#rows.values()].filter(({ frame }) => (frame === START) === (what === 'starts'));
  }

  /** A snapshot, for readers that take some time. */
  copy(): Recent {
    const copy = new Recent(this.#settled, this.counted);
    for (const record of this.#records) copy.#record(record);
    for (const [run_id, row] of this.#rows) copy.#rows.set(run_id, row);
    return copy;
  }
}

/**
 * The rows and records that the log has and LMDB lacks, and the generation of the newest frame.
 * @throws {StoreError} `DAMAGED` if the log differs from what was written
 */
export function readRecent(dbs: Databases, folder: string): { recent: Recent; generation: Generation } {
  const state = readLogState(dbs.env);
  if (state === null) {
    const starts = olderStarts(dbs.env).map(({ value }): Row => ({ run: JSON.parse(value), text: value }));
    const recent = new Recent(readHead(dbs), starts.length);
    recent.add(0, { starts, rows: [], records: [] });
    return { recent, generation: { id: randomBytes(8).toString('hex'), base: 0 } };
  }
  const recent = new Recent(null);
  const frames = framesFor(state, readLog(folder), folder);
  for (const { number, text } of frames) recent.add(number, decodeGroup(text));
  recent.forget(state.applied);
  recent.settle(readHead(dbs));
  // Some runs have a later row that was written only to LMDB.
  for (const { run } of recent.rowsOf('starts')) if (dbs.runs.doesExist(run.run_id)) recent.forgetRun(run.run_id);
  try {
    assertChained(recent.settled, recent.records);
  } catch (cause) {
    throw new StoreError('DAMAGED', `commits.log of ${folder} does not continue the records of data.mdb: restore a backup`, {
      cause,
    });
  }
  return { recent, generation: { id: state.id, base: state.base + frames.length } };
}

/** The newest row of a run. */
export function rowOf(dbs: Databases, recent: Recent, run_id: string): RunRow | null {
  const row = recent.row(run_id);
  return row === undefined ? readRow(dbs, run_id) : JSON.parse(row.text);
}

/** The last record of a session. */
export function sessionHeadOf(dbs: Databases, recent: Recent, key: string): SessionHead | null {
  return recent.sessionHead(key) ?? readSessionHead(dbs, key);
}

/** The number of runs per status, in LMDB as the transaction sees it and in `recent` together. */
export function countRuns(dbs: Databases, recent: Recent, transaction?: Transaction): Record<RunStatus, number> {
  const counts = allCounts(readCounts(dbs.state, transaction));
  counts.running -= recent.counted;
  for (const [run_id, { run }] of recent.rows) {
    const stored = dbs.runs.get(run_id, transaction === undefined ? undefined : { transaction });
    if (stored !== undefined) counts[(JSON.parse(stored) as { status: RunStatus }).status] -= 1;
    counts[run.status] += 1;
  }
  return counts;
}

const textsIn = (rows: readonly Row[]): number => rows.reduce((sum, { text }) => sum + text.length, 0);

/** The log's rows and records that LMDB lacks, without starts, and the log state to store with them. */
interface Lacking extends Pick<Group, 'rows' | 'records'> {
  readonly state: LogState;
}

const NOTHING: Group = { starts: [], rows: [], records: [] };

/** The commits of a folder, one after another. */
export class Commits {
  readonly #dbs: Databases;
  readonly #writer: Writer;
  readonly #log: Log;
  readonly #recent: Recent;
  readonly #clock: Clock;
  /** The newest commit; null: none is in progress. */
  #last: Promise<unknown> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #applied: Promise<void> = Promise.resolve();

  constructor(dbs: Databases, writer: Writer, log: Log, recent: Recent, clock: Clock) {
    this.#dbs = dbs;
    this.#writer = writer;
    this.#log = log;
    this.#recent = recent;
    this.#clock = clock;
  }

  /** Resolves once the commit is on disk. @throws {StoreError} */
  commit(changes: readonly PreparedChange[], records: readonly UnplacedRecord[]): Promise<PlannedCommit> {
    return this.#inTurn(async () => {
      // Before anything is read: a read beyond the end of a truncated file ends the process.
      this.#writer.assertInPlace();
      this.#assertOurs();
      const stored = {
        fields: (run_id: string) => this.#recent.row(run_id)?.run ?? readRow(this.#dbs, run_id),
        row: (run_id: string) => rowOf(this.#dbs, this.#recent, run_id),
        keyHolder: (unique_key: string) => this.#dbs.state.get(['unique', unique_key]),
      };
      const heads = { ledger: this.#recent.head, session: (key: string) => sessionHeadOf(this.#dbs, this.#recent, key) };
      const plan = planCommit(stored, heads, changes, records);
      if (plan.winners.length === 0 && plan.group.records.length === 0) return plan;
      const frame = changes.every(isPlain) ? frameOf(encodeGroup(plan.group)) : null;
      if (frame !== null && this.#log.fits(frame)) await this.#append(plan.group, frame);
      else await this.#write(plan);
      return plan;
    });
  }

  /** Appends an empty group to the log. @throws {StoreError} if the log cannot be written */
  tryLog(): Promise<void> {
    return this.#inTurn(() => this.#append(NOTHING, frameOf(encodeGroup(NOTHING))));
  }

  /** Writes everything in the log to LMDB, including starts, and restarts the log. @param is_open whether the log is written to afterwards */
  settle(is_open: boolean): Promise<void> {
    return this.#inTurn(() => this.#settle(is_open));
  }

  /** Writes the groups of the log that LMDB lacks to LMDB, and then what `more` puts. */
  put<T>(bytes: number, more: () => T): Promise<T> {
    return this.#inTurn(() => this.#put(bytes, more));
  }

  /** Call it after something other than a commit has written to the ledger. */
  reload(): void {
    this.#recent.settle(readHead(this.#dbs));
  }

  /** Writes everything to LMDB if possible; otherwise the next process that opens the folder does. */
  async close(): Promise<void> {
    await this.settle(false).catch(() => undefined);
    await this.#applied;
    clearTimeout(this.#timer ?? undefined);
  }

  /** Begins at once if no other action is in progress. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last === null ? action() : this.#last.then(action, action);
    this.#last = result;
    const done = (): void => {
      if (this.#last === result) this.#last = null;
    };
    result.then(done, done);
    return result;
  }

  /** @throws {StoreError} `CHAIN` if another process has written records, `STOPPED` if written records are missing */
  #assertOurs(): void {
    const { settled } = this.#recent;
    // Otherwise the read may show the state before the commit.
    this.#dbs.env.resetReadTxn();
    const head = readHead(this.#dbs);
    if (head?.hash === settled?.hash || this.#recent.records.some(({ hash }) => hash === head?.hash)) return;
    // If a copy overwrote the open file, the inode is still the same.
    if (head === null || (settled !== null && !continues(this.#dbs, head, settled))) throw this.#writer.lose();
    throw forked(head.seq);
  }

  async #append(group: Group, frame: Buffer): Promise<void> {
    if (!this.#log.hasRoom(frame)) await this.#settle(true);
    await this.#writer.append(this.#log, frame);
    this.#recent.add(this.#log.number, group);
    if (group.rows.length + group.records.length > 0) this.#applySoon();
  }

  async #write(plan: PlannedCommit): Promise<void> {
    const { starts, rows, records } = plan.group;
    const now = this.#clock.now();
    const content = plan.winners.flatMap(({ prepared }) => prepared.content);
    const bytes = content.reduce((sum, item) => sum + item.bytes.length, SMALL + 2 * textsIn([...starts, ...rows]));
    await this.#put(bytes, () => {
      assertFree(this.#dbs, records);
      putCommit(this.#dbs, now, plan);
    });
    for (const { run } of [...starts, ...rows]) this.#recent.forgetRun(run.run_id);
    const newest = records.at(-1);
    if (newest !== undefined) this.#recent.settle(newest);
  }

  async #put<T>(bytes: number, more: () => T): Promise<T> {
    let through = 0;
    const result = await this.#writer.write(bytes + this.#recent.bytes, () => {
      through = this.#putLacking(this.#lacking());
      return more();
    });
    this.#recent.forget(through);
    return result;
  }

  async #settle(is_open: boolean): Promise<void> {
    const started = this.#recent.rowsOf('starts');
    await this.#put(SMALL + 2 * textsIn(started), () => {
      putRows(this.#dbs, started);
      putLogState(this.#dbs.env, { ...this.#log.next, applied: this.#log.number, is_open });
    });
    for (const { run } of started) this.#recent.forgetRun(run.run_id);
    this.#log.restart();
  }

  /** Call it during a commit's turn, when nothing else writes rows or records. */
  #lacking(): Lacking {
    // A new folder has no state before the first write.
    const state = readLogState(this.#dbs.env) ?? { ...this.#log.next, applied: this.#log.number, is_open: true };
    const rows = this.#recent.rowsOf('ends').filter(({ frame }) => frame > state.applied);
    const records = this.#recent.records.filter(({ frame }) => frame > state.applied);
    // Another process has written records in place of acknowledged ones.
    if (records[0] !== undefined && this.#dbs.ledger.doesExist(records[0].seq)) throw this.#writer.lose();
    return { rows, records, state: { ...state, applied: this.#log.number } };
  }

  /** Call it inside a write. @returns the number of the last frame that LMDB has afterwards */
  #putLacking({ records, rows, state }: Lacking): number {
    putRecords(this.#dbs, records);
    putRows(this.#dbs, rows);
    putLogState(this.#dbs.env, state);
    return state.applied;
  }

  #applySoon(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#applied = this.#apply();
    }, APPLY_AFTER_MS).unref();
  }

  async #apply(): Promise<void> {
    // A write that failed on a full disk is retried. After any other failure, nothing more is written.
    const goes_on = await this.#queueLacking().then(
      () => true,
      (error) => error instanceof StoreError && error.code === 'FULL',
    );
    this.#timer = null;
    if (goes_on && this.#recent.rowsOf('ends').length + this.#recent.records.length > 0) this.#applySoon();
  }

  /**
   * Only commits write rows, counts and records, and no other commit is being written to LMDB at the same time. So the state that is read now is
   * still valid when it is written: LMDB's thread can write it alone, and the next commit need not wait.
   */
  async #queueLacking(): Promise<void> {
    const { written, through } = await this.#inTurn(async () => {
      this.#writer.assertInPlace();
      this.#dbs.env.resetReadTxn();
      const lacking = this.#lacking();
      const first = lacking.records[0];
      const put = (): void => void this.#putLacking(lacking);
      const queue = (): Promise<boolean> =>
        first === undefined ? this.#dbs.env.batch(put) : this.#dbs.ledger.ifNoExists(first.seq, put);
      return { written: this.#writer.putAll(this.#recent.bytes, queue), through: lacking.state.applied };
    });
    if (!(await written)) throw this.#writer.lose();
    this.#recent.forget(through);
  }
}
