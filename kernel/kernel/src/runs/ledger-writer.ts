import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Clock,
  type CommitOutcome,
  type EvidencePointer,
  errorName,
  type Logger,
  type RecordParts,
  type RunChange,
  type Store,
  SvcError,
  type UnplacedRecord,
  withTimeout,
} from '@svc/contracts';
import type { Observer } from '../observing/observer.ts';

interface Entry {
  /** The time limit passed, and the caller got an error. The write may still be in progress. */
  abandoned: boolean;
  /** Its caller was answered. */
  settled: boolean;
  /** When its time limit passes, in monotonic milliseconds. */
  readonly due: number;
  readonly change: RunChange;
  readonly evidence: RecordParts | null;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: Error) => void;
}

type Sealed = (records: readonly EvidencePointer[]) => void;

/** Limits one transaction, so that it changes few pages and needs little memory. */
const MAX_CHANGES = 256;
/**
 * How long a group under load waits for more changes, in turns of the event loop. Idle turns count, because answers of models need a turn or two to
 * arrive. A group costs one disk wait and two thread switches, whatever its size; an idle turn costs some microseconds.
 */
const GATHER_TURNS = 4;
/** If this many single changes fail in a row, the store is assumed to be at fault. */
const MAX_FAILURES = 2;

/** The longest that a caller waits for a write. */
const MAX_WAIT_MS = 5_000;
/** A write that takes longer is slow: requests that would only wait for it are not started until it is done. */
const SLOW_MS = 250;
/** A write that takes longer makes the gateway unhealthy. */
const HANGS_MS = 1_500;
/** How long a caller waits for the test write that may end an outage. */
const MAX_PROBE_WAIT_MS = 2_000;
/** The store did not answer; whether it wrote is unknown. */
class CommitTimeout extends Error {
  override readonly name = 'CommitTimeout';
}

/**
 * The only writer of runs and ledger in this process. While one group is written, new changes gather into the next, so many runs share one fsync
 * under load. A lone run does not wait for others.
 */
export class LedgerWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #observer: Observer;
  /** Ids of changes are this prefix and a number. */
  readonly #id = randomUUID();
  #made = 0;
  #waiting: Entry[] = [];
  /** The entries being written. Some may be settled already. */
  #group: readonly Entry[] = [];
  /** Whether the last group had several changes. If so, the next one waits for more. */
  #loaded = true;
  /** One timer for all entries. It is set for the earliest of them. */
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  /** When the store began to write the current group (monotonic). */
  #underWay: { readonly since: number; readonly done: Promise<unknown> } | null = null;
  readonly #afterOutage: () => void;
  readonly #sealed: Sealed;
  #failing = false;
  #probing: Promise<void> | null = null;

  /**
   * @param env `afterOutage` is called when a write succeeds after a failed one, once the callers of the failed write have their error. `sealed` is
   * called with the positions of each group's records once the group is on disk
   */
  constructor(store: Store, env: { clock: Clock; logger: Logger; observer: Observer; afterOutage: () => void; sealed?: Sealed }) {
    this.#store = store;
    this.#afterOutage = env.afterOutage;
    this.#sealed = env.sealed ?? (() => undefined);
    this.#clock = env.clock;
    this.#logger = env.logger;
    this.#observer = env.observer;
  }

  /**
   * Writes a change and, if the run ends with it, its evidence. Resolves when both are durable. Rejects if the store takes longer than {@link
   * MAX_WAIT_MS}; the change may still be written later, so read the row before making it again.
   * @throws {SvcError} SVC-STORE-001 if the change is not known to be durable
   */
  commit(change: Omit<RunChange, 'id'>, evidence: RecordParts | null): Promise<CommitOutcome> {
    return new Promise<CommitOutcome>((resolve, reject) => {
      // If a write hangs, a new entry waits only as long as the callers of that write do.
      const due = (this.#underWay?.since ?? this.#clock.monotonic()) + MAX_WAIT_MS;
      this.#made += 1;
      const id = `${this.#id}-${this.#made}`;
      this.#waiting.push({ abandoned: false, settled: false, due, change: { ...change, id }, evidence, resolve, reject });
      this.#timer ??= this.#watch(due);
      this.#writing ??= this.#writeAll();
    });
  }

  /** Rejects the entries whose time is over, then sets the timer for the next one. The timer does not keep the process alive. */
  #watch(due: number): NodeJS.Timeout {
    const timer = setTimeout(
      () => {
        const open = [...this.#group, ...this.#waiting].filter(({ settled }) => !settled);
        const now = this.#clock.monotonic();
        for (const entry of open) if (entry.due <= now) this.#abandon(entry);
        const next = open.find(({ settled }) => !settled);
        this.#timer = next === undefined ? null : this.#watch(next.due);
      },
      Math.max(0, due - this.#clock.monotonic()),
    );
    return timer.unref();
  }

  #abandon(entry: Entry): void {
    entry.abandoned = true;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== entry);
    const cause = new CommitTimeout('the store did not answer in time');
    if (!this.#failing) this.#logger.error({ event: 'commit_failed', changes: 1, reason: cause.name });
    this.#failing = true;
    refuse(entry, cause);
  }

  /** How long the store has been writing the current group. */
  #age(): number {
    return this.#underWay === null ? 0 : this.#clock.monotonic() - this.#underWay.since;
  }

  /** Whether the current write has taken so long that the store counts as unavailable. */
  get hangs(): boolean {
    return this.#age() > HANGS_MS;
  }

  /** Appends records that belong to no run. */
  async append(records: readonly UnplacedRecord[]): Promise<void> {
    await this.#store.commit([], records);
  }

  /**
   * Throws while evidence cannot be written, so that no model is paid for an answer that could not be returned. After a failure, each call makes the
   * store test its disk. The first successful test ends the outage.
   * @throws {SvcError} SVC-STORE-001
   */
  async assertWritable(): Promise<void> {
    const age = this.#age();
    if (this.#underWay !== null && age > SLOW_MS)
      await inTime(
        this.#underWay.done.catch(() => undefined),
        MAX_WAIT_MS - age,
      );
    if (!this.#failing) return;
    // One test write serves all concurrent callers.
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    await inTime(this.#probing, MAX_PROBE_WAIT_MS);
  }

  async #probe(): Promise<void> {
    try {
      // The store's contract defines this as the test write.
      await this.#store.commit([], []);
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
        const turns = this.#loaded ? GATHER_TURNS : 0;
        for (let turn = 0; turn < turns && this.#waiting.length < MAX_CHANGES; turn += 1) await nextTurn();
        this.#group = this.#waiting.splice(0, MAX_CHANGES);
        this.#loaded = this.#group.length > 1;
        // All entries may have timed out while the group gathered.
        if (this.#group.length > 0) await this.#writeGroup(this.#group);
      } while (this.#waiting.length > 0);
    } finally {
      this.#group = [];
      this.#writing = null;
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
    const changes = group.map(({ change }) => change);
    // An async function, because a store may throw synchronously.
    const commit = (async () => this.#store.commit(changes, recordsOf(group)))();
    this.#underWay = { since: started, done: commit };
    try {
      const outcomes = await commit;
      this.#observer.commit(this.#clock.monotonic() - started, group.length);
      this.#works();
      // If a repeated change has no evidence, the store returns the evidence of the earlier attempt.
      this.#sealed(
        outcomes.flatMap((outcome, i) => (outcome.result === 'committed' && group[i]?.evidence && outcome.evidence) || []),
      );
      return outcomes;
    } catch (cause) {
      this.#failing = true;
      this.#logger.error({
        event: 'commit_failed',
        changes: group.length,
        // The store's message is not passed on, because it may quote a row.
        reason: errorName(cause),
      });
      throw cause;
    } finally {
      this.#underWay = null;
    }
  }

  /**
   * After a failed group each change is tried alone, so that one bad change or one broken connection does not fail the others. If the store wrote a
   * change but its result was lost, it recognises the change. If two changes in a row fail alone, the store is at fault and the rest are not tried.
   */
  async #writeSingly(group: readonly Entry[], cause: unknown): Promise<void> {
    // A group of one change has already failed alone.
    let failures = group.length === 1 ? 1 : 0;
    for (const entry of group) {
      if (entry.abandoned) continue;
      try {
        if (failures >= MAX_FAILURES) throw cause;
        const [outcome] = await this.#write([entry]);
        settle(entry, outcome);
      } catch (error) {
        failures += 1;
        refuse(entry, error);
      }
    }
  }
}

/** @throws {SvcError} SVC-STORE-001 if it takes longer */
async function inTime(work: Promise<unknown>, limit_ms: number): Promise<void> {
  const isDone = limit_ms > 0 && (await withTimeout(work, limit_ms)).done;
  if (!isDone) throw storeError(new CommitTimeout('the store did not answer in time'));
}

function settle(entry: Entry, outcome: CommitOutcome | undefined): void {
  if (outcome === undefined) refuse(entry, new Error('the store returned no outcome'));
  else {
    entry.settled = true;
    entry.resolve(outcome);
  }
}

function refuse(entry: Entry, cause: unknown): void {
  entry.settled = true;
  entry.reject(storeError(cause));
}

function recordsOf(group: readonly Entry[]): UnplacedRecord[] {
  return group.flatMap(({ change: { run }, evidence: parts }, change) =>
    parts === null ? [] : { record_type: 'run_evidence', model_id: run.route, parts, change },
  );
}

function storeError(cause: unknown): SvcError {
  return new SvcError('SVC-STORE-001', 'evidence cannot be written, so requests are refused until it can', { cause });
}
