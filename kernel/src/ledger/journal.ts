import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type CommitOutcome,
  GENESIS,
  type LedgerHead,
  type LedgerRecordType,
  type Logger,
  type RunChange,
  type RunRow,
  type SealedRecord,
  type Store,
  SvcError,
} from '../contracts/index.ts';
import type { Observer } from '../observer.ts';
import type { PlaceRecord } from './prepare.ts';

interface Entry {
  readonly change: RunChange;
  readonly evidence: PlaceRecord | null;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** A record that belongs to no run, such as a `model_inventory`. */
export interface LooseRecord {
  readonly record_type: LedgerRecordType;
  readonly model_id: string;
  readonly place: PlaceRecord;
}

/** Bounds one transaction, so that its pages and its memory stay small. */
const MOST_CHANGES = 256;
/** How long a group may wait for more, in turns of the event loop. */
const MOST_TURNS = 3;
/** Changes that fail alone one after another: then it is the store. */
const MOST_FAILURES = 2;

/** Whether a change whose commit was rejected is stored all the same; `unreadable` where the store does not tell. */
type Found = 'written' | 'absent' | 'unreadable';

/**
 * The only writer of runs and ledger in this process. While one group is being written, what comes in gathers into the next:
 * under load many runs share one fsync, and a lone run waits for one turn of the event loop.
 */
export class Journal {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #observer: Observer;
  #waiting: Entry[] = [];
  #writing: Promise<void> | null = null;
  readonly #afterOutage: () => void;
  #failing = false;
  #probing: Promise<void> | null = null;

  /** @param env `afterOutage` is called when a write works again after one that failed, and whoever was told of the failure knows it */
  constructor(store: Store, env: { clock: Clock; logger: Logger; observer: Observer; afterOutage: () => void }) {
    this.#store = store;
    this.#afterOutage = env.afterOutage;
    this.#clock = env.clock;
    this.#logger = env.logger;
    this.#observer = env.observer;
  }

  /**
   * Writes a change and, where the run ends with it, its evidence. Resolves when both are durable.
   * @throws {SvcError} SVC-STORE-001 where that could not be made sure
   */
  commit(change: RunChange, evidence: PlaceRecord | null): Promise<CommitOutcome> {
    const outcome = new Promise<CommitOutcome>((resolve, reject) => this.#waiting.push({ change, evidence, resolve, reject }));
    this.#writing ??= this.#writeAll();
    return outcome;
  }

  /** Appends records that belong to no run. */
  async append(records: readonly LooseRecord[]): Promise<readonly SealedRecord[]> {
    let sealed: readonly SealedRecord[] = [];
    await this.#store.commit([], (head) => {
      sealed = placeAll(
        head,
        records.map((record) => ({ ...record, change: null })),
      );
      return sealed;
    });
    return sealed;
  }

  /**
   * Throws while evidence cannot be written, so that no model is paid for an answer that could not be given. After a failure each
   * call has the store try its disk, and the first trial that succeeds ends the outage.
   * @throws {SvcError} SVC-STORE-001
   */
  async assertWritable(): Promise<void> {
    if (!this.#failing) return;
    // However many ask at once, one write tries.
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    await this.#probing;
  }

  async #probe(): Promise<void> {
    try {
      // A trial, by the store's contract.
      await this.#store.commit([], () => []);
    } catch (cause) {
      throw storeError(cause);
    }
    this.#works();
  }

  #works(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#afterOutage();
  }

  get writable(): boolean {
    return !this.#failing;
  }

  /** Waits until nothing is being written. */
  async drain(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      do {
        await this.#gather();
        await this.#writeGroup(this.#waiting.splice(0, MOST_CHANGES));
      } while (this.#waiting.length > 0);
    } finally {
      this.#writing = null;
    }
  }

  /**
   * Lets what comes in during this turn of the event loop into the group, and the next turn too as long as each brings more: a group costs
   * an fsync and four changes of thread, however large it is. A lone change waits for one turn.
   */
  async #gather(): Promise<void> {
    let gathered = 0;
    for (let turn = 0; turn < MOST_TURNS && this.#waiting.length > gathered; turn += 1) {
      gathered = this.#waiting.length;
      await nextTurn();
    }
  }

  /** Every entry is settled when this resolves. */
  async #writeGroup(group: readonly Entry[]): Promise<void> {
    try {
      const outcomes = await this.#write(group);
      for (const [i, entry] of group.entries()) settle(entry, outcomes[i]);
    } catch (cause) {
      await this.#writeSingly(group, cause);
    }
  }

  async #write(group: readonly Entry[]): Promise<readonly CommitOutcome[]> {
    const started = this.#clock.monotonic();
    try {
      const outcomes = await this.#store.commit(
        group.map(({ change }) => change),
        (head, winners) => seal(group, head, winners),
      );
      this.#observer.commit(this.#clock.monotonic() - started, group.length);
      this.#works();
      return outcomes;
    } catch (cause) {
      this.#failing = true;
      this.#logger.error({
        event: 'commit_failed',
        changes: group.length,
        // A store's own words may quote a row.
        reason: cause instanceof Error ? cause.name : 'unknown',
      });
      throw cause;
    }
  }

  /**
   * What one change broke must not hurt those that were written with it, nor a connection that broke those who used it: after a failed
   * group each is tried alone. Two that fail show that it is the store, and the rest is not tried. A store that cannot even be read is
   * asked nothing more: each question would take as long as its patience.
   */
  async #writeSingly(group: readonly Entry[], cause: unknown): Promise<void> {
    const claimed = new Set<string>();
    // A lone change has failed alone by now.
    let failures = group.length === 1 ? 1 : 0;
    let readable = true;
    for (const entry of group) {
      const found: Found = readable ? await this.#find(entry, claimed) : 'unreadable';
      readable = found !== 'unreadable';
      if (found === 'written') continue;
      if (!readable || failures >= MOST_FAILURES) entry.reject(storeError(cause));
      else if (!(await this.#writeAlone(entry, claimed))) failures += 1;
    }
  }

  /** @returns whether the store took it; the entry is settled either way */
  async #writeAlone(entry: Entry, claimed: Set<string>): Promise<boolean> {
    try {
      const [outcome] = await this.#write([entry]);
      settle(entry, outcome === undefined ? undefined : claim(entry, outcome, claimed));
      return true;
    } catch (cause) {
      if ((await this.#find(entry, claimed)) !== 'written') entry.reject(storeError(cause));
      return false;
    }
  }

  /**
   * A rejected commit may have happened all the same (a connection that broke after COMMIT): the row tells, and then the entry is settled.
   * Of two changes of one group that would leave the same row, the first won.
   */
  async #find({ change, resolve }: Entry, claimed: Set<string>): Promise<Found> {
    try {
      const row = await this.#store.run(change.run.run_id);
      if (row === null || claimed.has(moveOf(change)) || !isRowOf(change, row)) return 'absent';
      claimed.add(moveOf(change));
      resolve({ result: 'committed', evidence: row.evidence });
      return 'written';
    } catch {
      return 'unreadable';
    }
  }
}

function settle(entry: Entry, outcome: CommitOutcome | undefined): void {
  if (outcome === undefined) entry.reject(storeError(new Error('the store gave no outcome')));
  else entry.resolve(outcome);
}

function isRowOf({ run }: RunChange, row: RunRow): boolean {
  return isDeepStrictEqual({ ...row, evidence: null }, { ...run, evidence: null });
}

function moveOf({ run }: RunChange): string {
  return `${run.run_id} ${run.version}`;
}

/** A second try that finds its own row: the first one came through after all, and only its answer was lost. */
function claim({ change }: Entry, outcome: CommitOutcome, claimed: Set<string>): CommitOutcome {
  const found = outcome.result === 'conflict' ? outcome.current : null;
  const own = found !== null && !claimed.has(moveOf(change)) && isRowOf(change, found);
  if (own || outcome.result === 'committed') claimed.add(moveOf(change));
  return own ? { result: 'committed', evidence: found.evidence } : outcome;
}

function seal(group: readonly Entry[], head: LedgerHead | null, winners: readonly number[]): SealedRecord[] {
  const records = winners.flatMap((change) => {
    const entry = group[change];
    if (entry?.evidence == null) return [];
    return [{ record_type: 'run_evidence' as const, model_id: entry.change.run.route, place: entry.evidence, change }];
  });
  return placeAll(head, records);
}

/** Chains records on to the head, in order. */
function placeAll(head: LedgerHead | null, records: readonly (LooseRecord & { change: number | null })[]): SealedRecord[] {
  let { seq, hash } = head ?? { seq: 0, hash: GENESIS };
  return records.map(({ record_type, model_id, place, change }) => {
    seq += 1;
    const placed = place(seq, hash);
    hash = placed.hash;
    return { seq, ...placed, record_type, model_id, change };
  });
}

function storeError(cause: unknown): SvcError {
  return new SvcError('SVC-STORE-001', 'evidence cannot be written now, and without it nothing is answered', { cause });
}
