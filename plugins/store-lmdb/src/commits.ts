import type { Clock, LedgerHead, Seal } from '@svc/sdk';
import { evidenceOf, type PreparedChange, type StoredFields } from '@svc/toolkit/store';
import { isPlain, type PlannedCommit, planCommit, putCommit } from './commit.ts';
import type { Databases } from './tables/databases.ts';
import { assertFree, continues, forked, readHead } from './tables/ledger.ts';
import { SMALL, type Writer } from './writer.ts';

/** The commits of a folder. */
export class Commits {
  readonly #dbs: Databases;
  readonly #writer: Writer;
  readonly #clock: Clock;
  /** Begun and not on disk yet. */
  #pending = 0;
  /** Running runs as this process last wrote them: most commits end one of these, whose row need not be read and parsed for it. */
  readonly #running = new Map<string, StoredFields>();
  /** The newest record of this process that is on disk. */
  #newest: LedgerHead | null = null;

  constructor(dbs: Databases, writer: Writer, clock: Clock) {
    this.#dbs = dbs;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Resolves once it is on disk. @throws what `seal` throws, and then nothing is written; {StoreError} */
  async commit(changes: readonly PreparedChange[], seal: Seal): Promise<PlannedCommit> {
    const bytes = changes.reduce((sum, change) => sum + change.bytes, SMALL);
    const alone = this.#pending === 0;
    this.#pending += 1;
    try {
      const plain = alone && changes.every(isPlain);
      const plan = await (plain ? this.#putAll(bytes, changes, seal) : this.#transact(bytes, changes, seal));
      this.#newest = plan.records.at(-1) ?? this.#newest;
      this.#remember(plan);
      return plan;
    } finally {
      this.#pending -= 1;
    }
  }

  #plan(changes: readonly PreparedChange[], seal: Seal, known?: ReadonlyMap<string, StoredFields>): PlannedCommit {
    // Before anything is read: behind the end of a file that was cut, a read ends the process.
    this.#writer.assertInPlace();
    const head = readHead(this.#dbs);
    // Only a copy that was written over the open file lacks it: that is the same file by its inode.
    if (this.#newest !== null && !continues(this.#dbs, head, this.#newest)) throw this.#writer.lose();
    return planCommit(this.#dbs, head, changes, seal, known);
  }

  /** Inside a transaction, whose reads see what others wrote meanwhile. Those that wait share one. */
  #transact(bytes: number, changes: readonly PreparedChange[], seal: Seal): Promise<PlannedCommit> {
    const now = this.#clock.now();
    return this.#writer.write(bytes, () => {
      const plan = this.#plan(changes, seal);
      assertFree(this.#dbs, plan.records);
      putCommit(this.#dbs, now, plan);
      return plan;
    });
  }

  /**
   * Rows and records are written by commits alone, and by this process alone: while no other commit is pending, what is read now is still so
   * when it is written. So LMDB's thread can write by itself, and this one goes on: 5% more requests than with a transaction that it fills.
   */
  async #putAll(bytes: number, changes: readonly PreparedChange[], seal: Seal): Promise<PlannedCommit> {
    const { env, ledger } = this.#dbs;
    const plan = this.#plan(changes, seal, this.#running);
    const [first] = plan.records;
    if (first === undefined && plan.winners.length === 0) return plan;
    const put = (): void => putCommit(this.#dbs, this.#clock.now(), plan);
    const written = await this.#writer.putAll(bytes, () =>
      first === undefined ? env.batch(put) : ledger.ifNoExists(first.seq, put),
    );
    if (first !== undefined && !written) throw forked(first.seq);
    return plan;
  }

  /** Once it is on disk. A commit that begins while another is pending knows nothing of it, and reads. */
  #remember({ last, pointers }: PlannedCommit): void {
    for (const winner of last) {
      const { fields } = winner.prepared;
      if (fields.status === 'running') this.#running.set(fields.run_id, { ...fields, evidence: evidenceOf(winner, pointers) });
      else this.#running.delete(fields.run_id);
    }
  }
}
