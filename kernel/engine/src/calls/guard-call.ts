import { type Clock, type Guard, type GuardContext, type Raced, TimeoutBudget } from '@svc/contracts';
import { type GuardWorkers, WorkersBusy } from '../workers/guard-workers.ts';

/** How a guard failed: it threw, ran past its limit, answered something that its contract does not allow, or no thread was free for it. */
export type GuardFailure = 'threw' | 'timeout' | 'invalid' | 'busy';

/** What a call of a guard needs of its surroundings. */
export interface CallEnv {
  readonly clock: Clock;
  readonly workers: GuardWorkers;
  /** Whose request it is for. */
  readonly principal_id: string;
  /** Its run was taken on already: its work is let into a full queue. */
  readonly admitted: boolean;
}

/** What a context has of the call that it is for. */
export type CallScope = Pick<GuardContext, 'signal' | 'runInWorker'>;

/** Guards that were seen to use threads. */
const heavy = new WeakSet<Guard>();

export function usesWorkers(guard: Guard): boolean {
  return heavy.has(guard);
}

/** One call of a guard: its time, and its work in threads, which ends with it. */
export class GuardCall implements CallScope {
  readonly #started: number;
  readonly #timeout_ms: number;
  /** Made for a guard that is waited for: most answer at once. */
  #budget: TimeoutBudget | null = null;
  /** Why a task of it could not be done. The call has failed then, whatever the guard makes of it. */
  failure: GuardFailure | null = null;
  readonly #guard: Guard;
  readonly #env: CallEnv;
  readonly #abort: AbortSignal;
  #tasks: AbortController | null = null;
  #limit: AbortController | null = null;
  #ended = false;
  /** How long it took, in milliseconds; known when it has ended. */
  duration_ms = 0;

  /** @param abort that of the run */
  constructor(guard: Guard, timeout_ms: number, env: CallEnv, abort: AbortSignal) {
    this.#guard = guard;
    this.#timeout_ms = timeout_ms;
    this.#env = env;
    this.#abort = abort;
    this.#started = env.clock.monotonic();
  }

  /** Whether it took longer than it may. What it waited for a thread is not counted. */
  get isLate(): boolean {
    return this.#budget === null ? this.duration_ms > this.#timeout_ms : this.#budget.isSpent;
  }

  /**
   * Aborted where the guard is given up. Made for a guard that asks for it: most answer at once. One signal for both reasons, since
   * AbortSignal.any keeps weak references that every garbage collection must visit: a guard that is still working when the run is given up is
   * given up too.
   */
  get signal(): AbortSignal {
    if (this.#limit === null) {
      this.#limit = new AbortController();
      if (this.#abort.aborted) this.#limit.abort();
    }
    return this.#limit.signal;
  }

  /** Waits for an answer that is a promise, within the time, and as long as the run is not given up. */
  race<T>(answer: Promise<T>): Promise<Raced<T>> {
    return this.#timed().race(answer, this.#abort);
  }

  #timed(): TimeoutBudget {
    this.#budget ??= new TimeoutBudget(this.#env.clock, this.#timeout_ms, this.#started);
    return this.#budget;
  }

  /** The guard is not waited for any more. */
  giveUp(): void {
    this.#limit?.abort();
  }

  runInWorker(moduleUrl: string, input: unknown): Promise<unknown> {
    const work = this.#run(moduleUrl, input);
    // A guard that does not wait for it must not end the process.
    work.catch(() => undefined);
    return work;
  }

  /** The guard has answered or was given up. */
  end(): void {
    this.#ended = true;
    this.duration_ms = this.#env.clock.monotonic() - this.#started;
    this.#tasks?.abort();
  }

  async #run(moduleUrl: string, input: unknown): Promise<unknown> {
    heavy.add(this.#guard);
    // What the guard does before it waits is its own time.
    await undefined;
    if (this.#ended) throw new Error('the call of the guard has ended');
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
      this.failure ??= error instanceof WorkersBusy ? 'busy' : 'threw';
      throw error;
    } finally {
      resumed();
    }
  }
}
