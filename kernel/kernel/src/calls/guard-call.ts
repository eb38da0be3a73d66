import { type Clock, type Guard, type GuardContext, type Raced, TimeoutBudget } from '@svc/contracts';
import { type FailedGuard, type FailureScope, type GuardFailureReason, reportFailure } from '../observing/guard-failure.ts';
import { NOTHING_THROWN, readThrown, type Thrown } from '../observing/thrown.ts';
import { type GuardWorkers, TaskFailed, WorkersBusy } from '../workers/guard-workers.ts';

/** How a guard failed: it threw, exceeded its limit, violated its contract, or no thread was free for it. */
export type GuardFailure = 'threw' | 'timeout' | 'invalid' | 'busy';

const REASONS: Readonly<Record<GuardFailure, GuardFailureReason>> = {
  threw: 'threw',
  timeout: 'timed_out',
  invalid: 'invalid_result',
  busy: 'busy',
};

interface TaskFailure {
  readonly failure: GuardFailure;
  readonly reason: GuardFailureReason;
  readonly thrown: Thrown;
}

export interface CalledNode extends FailedGuard {
  readonly guard: Guard;
  readonly timeout_ms: number;
}

export interface CallEnv extends FailureScope {
  readonly clock: Clock;
  readonly workers: GuardWorkers;
  /** The principal of the request. */
  readonly principal_id: string;
  /** Whether the run was already accepted. If so, its work may enter a full queue. */
  readonly admitted: boolean;
}

/** The parts of a call that a guard's context exposes. */
export type CallScope = Pick<GuardContext, 'signal' | 'runInWorker'>;

/** Guards that have used threads before. */
const heavy = new WeakSet<Guard>();

export function usesWorkers(guard: Guard): boolean {
  return heavy.has(guard);
}

/** One call of a guard: its time limit, and its tasks in threads, which end with the call. */
export class GuardCall implements CallScope {
  readonly #started: number;
  readonly #node: CalledNode;
  /** Created only for a guard that returns a promise; most answer synchronously. */
  #budget: TimeoutBudget | null = null;
  #failedTask: TaskFailure | null = null;
  readonly #env: CallEnv;
  readonly #abort: AbortSignal;
  #tasks: AbortController | null = null;
  #limit: AbortController | null = null;
  #ended = false;
  duration_ms = 0;

  /** @param abort the run's signal */
  constructor(node: CalledNode, env: CallEnv, abort: AbortSignal) {
    this.#node = node;
    this.#env = env;
    this.#abort = abort;
    this.#started = env.clock.monotonic();
  }

  /** Whether a task of this call failed. The call has then failed, whatever the guard returns. */
  get isTaskFailed(): boolean {
    return this.#failedTask !== null;
  }

  /** Whether the call exceeded its time limit. Time spent waiting for a thread does not count. */
  get isLate(): boolean {
    return this.#budget === null ? this.duration_ms > this.#node.timeout_ms : this.#budget.isSpent;
  }

  /**
   * Aborted when the call fails or the run is cancelled. Created only if a guard reads it. `AbortSignal.any` is not used, because it keeps weak
   * references that every garbage collection must visit.
   */
  get signal(): AbortSignal {
    if (this.#limit === null) {
      this.#limit = new AbortController();
      if (this.#abort.aborted) this.#limit.abort();
    }
    return this.#limit.signal;
  }

  /** Waits for a promised result until the time limit, or until the run is cancelled. */
  race<T>(answer: Promise<T>): Promise<Raced<T>> {
    return this.#timed().race(answer, this.#abort);
  }

  #timed(): TimeoutBudget {
    this.#budget ??= new TimeoutBudget(this.#env.clock, this.#node.timeout_ms, this.#started);
    return this.#budget;
  }

  runInWorker(moduleUrl: string, input: unknown): Promise<unknown> {
    const work = this.#run(moduleUrl, input);
    // Without a handler, a rejection that the guard ignores would end the process.
    work.catch(() => undefined);
    return work;
  }

  /** Call this when the guard has answered, timed out or been cancelled. */
  end(): void {
    this.#ended = true;
    this.duration_ms = this.#env.clock.monotonic() - this.#started;
    this.#tasks?.abort();
  }

  /**
   * Ends the call of a guard that failed: reports the failure unless the run was cancelled, and aborts the signal. If one of the call's tasks failed
   * in a thread, the report gives that as the reason.
   * @param thrown what the guard threw, if anything
   */
  fail(failure: GuardFailure, thrown?: unknown): GuardFailure {
    this.end();
    const why = this.#failedTask ?? { failure, reason: REASONS[failure], thrown: readThrown(thrown) };
    if (!this.#abort.aborted) reportFailure(this.#node, this.#env, why.reason, why.thrown);
    this.#limit?.abort();
    return why.failure;
  }

  async #run(moduleUrl: string, input: unknown): Promise<unknown> {
    heavy.add(this.#node.guard);
    // Synchronous work counts towards the guard's time limit.
    await undefined;
    if (this.#ended) throw new Error('the call of the guard has already ended');
    this.#tasks ??= new AbortController();
    const { signal } = this.#tasks;
    const budget = this.#timed();
    budget.pause();
    let waits = true;
    const resumed = (): void => {
      if (waits) budget.resume();
      waits = false;
    };
    const suspended = (): void => {
      if (!waits) budget.pause();
      waits = true;
    };
    const { workers, principal_id, admitted } = this.#env;
    try {
      return await workers.run({ principal_id, moduleUrl, input, signal, admitted, resumed, suspended });
    } catch (error) {
      this.#failedTask ??= taskFailure(error);
      throw error;
    } finally {
      resumed();
    }
  }
}

function taskFailure(error: unknown): TaskFailure {
  if (error instanceof WorkersBusy) return { failure: 'busy', reason: 'busy', thrown: NOTHING_THROWN };
  if (error instanceof TaskFailed) return { failure: 'threw', reason: error.reason, thrown: error.thrown };
  return { failure: 'threw', reason: 'threw', thrown: readThrown(error) };
}
