import type { Clock } from '@svc/sdk';
import { StoreError, type UnplacedRecord } from '@svc/sdk/store';
import type { PreparedChange } from '@svc/toolkit/store';
import { isPlain, type PlannedCommit, planCommit, putCommit } from './commit.ts';
import { frameOf } from './log/frames.ts';
import { encodeGroup, type Group } from './log/group.ts';
import type { Log } from './log/log.ts';
import { type LogState, putLogState, readLogState } from './log/log-state.ts';
import type { Recent } from './recent.ts';
import type { Databases } from './tables/databases.ts';
import { assertFree, continues, forked, putRecords, readHead } from './tables/ledger.ts';
import { putRows } from './tables/rows.ts';
import { SMALL, type Writer } from './writer.ts';

/** How long LMDB may lag behind the log. It then writes many groups at once, since each of its writes waits for the disk twice. */
const APPLY_AFTER_MS = 50;

/** What LMDB lacks of the log, and the log state that it stores with it. */
interface Lacking extends Pick<Group, 'rows' | 'records'> {
  readonly state: LogState;
}

const NOTHING: Group = { starts: [], rows: [], records: [] };

/**
 * The commits of a folder, one after another. A commit of rows and records is durable when the log has it; LMDB gets it a little later, together
 * with others. Any other commit is written to LMDB, after everything that is in the log.
 */
export class Commits {
  readonly #dbs: Databases;
  readonly #writer: Writer;
  readonly #log: Log;
  readonly #recent: Recent;
  readonly #clock: Clock;
  /** The newest; null: none is under way. */
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

  /** Resolves once it is on disk. @throws {StoreError} */
  commit(changes: readonly PreparedChange[], records: readonly UnplacedRecord[]): Promise<PlannedCommit> {
    return this.#inTurn(async () => {
      // Before anything is read: a read beyond the end of a truncated file ends the process.
      this.#writer.assertInPlace();
      const plan = planCommit(this.#dbs, this.#recent, changes, records);
      this.#assertOurs();
      const { winners, group } = plan;
      if (winners.length === 0 && group.records.length === 0) return plan;
      const frame = changes.every(isPlain) ? frameOf(encodeGroup(group)) : null;
      if (frame !== null && this.#log.fits(frame)) await this.#append(group, frame);
      else await this.#write(plan);
      return plan;
    });
  }

  /** Appends an empty group to the log. @throws {StoreError} if the log cannot be written */
  tryLog(): Promise<void> {
    return this.#inTurn(() => this.#append(NOTHING, frameOf(encodeGroup(NOTHING))));
  }

  /** Writes everything in the log to LMDB, starts of runs too, and restarts the log. @param is_open whether it is written to afterwards */
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

  /** Begins at once where no other is under way. */
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
    // Otherwise it may show a state from before the commit.
    this.#dbs.env.resetReadTxn();
    const head = readHead(this.#dbs);
    if (head?.hash === settled?.hash || this.#recent.records.some(({ hash }) => hash === head?.hash)) return;
    // A copy that overwrote the open file has the same inode.
    if (head === null || (settled !== null && !continues(this.#dbs, head, settled))) throw this.#writer.lose();
    throw forked(head.seq);
  }

  async #append(group: Group, frame: Buffer): Promise<void> {
    if (!this.#log.hasRoom(frame)) await this.#settle(true);
    await this.#writer.append(this.#log, frame);
    this.#recent.add(this.#log.number, group);
    this.#applySoon();
  }

  async #write(plan: PlannedCommit): Promise<void> {
    const { starts, rows, records } = plan.group;
    const now = this.#clock.now();
    const texts = [...starts, ...rows].reduce((sum, { text }) => sum + 2 * text.length, SMALL);
    const content = plan.winners.flatMap(({ prepared }) => prepared.content);
    const bytes = content.reduce((sum, item) => sum + item.bytes.length, texts);
    await this.#put(bytes, () => {
      assertFree(this.#dbs, records);
      putCommit(this.#dbs, now, plan);
    });
    for (const { run } of [...starts, ...rows]) this.#recent.started.delete(run.run_id);
    const newest = records.at(-1);
    if (newest !== undefined) this.#recent.settle(newest);
  }

  async #put<T>(bytes: number, more: () => T): Promise<T> {
    let through = 0;
    const result = await this.#writer.write(bytes + this.#recent.bytes, () => {
      through = this.#putGroups(this.#lacking());
      return more();
    });
    this.#recent.forget(through);
    return result;
  }

  async #settle(is_open: boolean): Promise<void> {
    const started = [...this.#recent.started.values()];
    const bytes = started.reduce((sum, { text }) => sum + 2 * text.length, SMALL);
    await this.#put(bytes, () => {
      putRows(this.#dbs, started);
      putLogState(this.#dbs.env, { ...this.#log.next, applied: this.#log.number, is_open });
    });
    this.#recent.started.clear();
    this.#log.restart();
  }

  /** The groups that LMDB does not have yet. */
  #lacking(): Lacking {
    // In a new folder it does not exist before the first write.
    const state = readLogState(this.#dbs.env) ?? { ...this.#log.next, applied: this.#log.number, is_open: true };
    const groups = this.#recent.groups.filter(({ number }) => number > state.applied);
    const records = groups.flatMap((group) => group.records);
    // Another process has written records in place of acknowledged ones.
    if (records[0] !== undefined && this.#dbs.ledger.doesExist(records[0].seq)) throw this.#writer.lose();
    const applied = Math.max(state.applied, groups.at(-1)?.number ?? 0);
    return { records, rows: groups.flatMap(({ rows }) => rows), state: { ...state, applied } };
  }

  /** Call it inside a write. @returns the number of the last group that LMDB has afterwards */
  #putGroups({ records, rows, state }: Lacking): number {
    putRecords(this.#dbs, records);
    putRows(this.#dbs, rows);
    putLogState(this.#dbs.env, state);
    return state.applied;
  }

  #applySoon(): void {
    if (this.#timer !== null || this.#recent.groups.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#applied = this.#apply();
    }, APPLY_AFTER_MS).unref();
  }

  async #apply(): Promise<void> {
    // A write that a full disk refuses is tried again; after any other failure nothing more is written.
    const goes_on = await this.#queueGroups().then(
      () => true,
      (error) => error instanceof StoreError && error.code === 'FULL',
    );
    this.#timer = null;
    if (goes_on) this.#applySoon();
  }

  /**
   * Only commits write rows, counts and records, and no other commit is being written to LMDB at the same time. So the state that is read now
   * is still valid when it is written: LMDB's thread can do that by itself, and the next commit need not wait for it.
   */
  async #queueGroups(): Promise<void> {
    const { written, through } = await this.#inTurn(async () => {
      this.#writer.assertInPlace();
      this.#dbs.env.resetReadTxn();
      const lacking = this.#lacking();
      const first = lacking.records[0];
      const put = (): void => {
        this.#putGroups(lacking);
      };
      const queue = (): Promise<boolean> =>
        first === undefined ? this.#dbs.env.batch(put) : this.#dbs.ledger.ifNoExists(first.seq, put);
      return { written: this.#writer.putAll(this.#recent.bytes, queue), through: lacking.state.applied };
    });
    if (!(await written)) throw this.#writer.lose();
    this.#recent.forget(through);
  }
}
