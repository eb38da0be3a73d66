import { SvcError } from '@svc/contracts';
import {
  advance,
  DuplicateRun,
  FROM_THE_START,
  findRun,
  type LiveRun,
  LostRace,
  type RunOutcome,
  recordStart,
  type Track,
} from '@svc/kernel';
import { newRunId, type PauseClaim, stopping } from '@svc/kernel/admission';
import type { Decision } from '../../pauses/decision.ts';
import { canStream } from '../../streaming/can-stream.ts';
import { responseStream } from '../../streaming/live-call.ts';
import { ApprovalWaiters } from './approval-waiters.ts';
import { BackgroundQueue, type SettledListener } from './background.ts';
import { type CheckRequest, checkBody } from './check-body.ts';
import { decide } from './decide.ts';
import { type Erased, type EraseEnv, type Eraser, erase } from './erase.ts';
import { expire } from './expire.ts';
import { assertSameRequest } from './idempotency.ts';
import { PausedChanges } from './paused-changes.ts';
import { readOutcome } from './read-outcome.ts';
import { type RecoveryScope, recover } from './recover.ts';
import { claimPause } from './room-to-pause.ts';
import { newRun, type RunRequest } from './run-request.ts';
import { SerialByName } from './serial-by-name.ts';
import { StoredRuns } from './stored-runs.ts';
import { UnderWay } from './under-way.ts';

/** The runs of this process. */
export class Runs {
  readonly stored: StoredRuns;
  readonly #env: EraseEnv;
  /** All work that may use a route, even before its run begins. */
  readonly under_way = new UnderWay();
  readonly #live = new Map<LiveRun, Promise<unknown>>();
  readonly #background: BackgroundQueue;
  readonly #waiters: ApprovalWaiters;
  /** Serialises erasures by run id: of concurrent erasures of one run, only one takes effect and is recorded. */
  readonly #erasing = new SerialByName();
  #closing = false;

  /** Checks whether a run that was accepted earlier has been disabled since. */
  readonly #track: Track = (run, work) => {
    this.#stopDisabled(run);
    return this.#work(run, work);
  };

  /** Refuses a run whose request was admitted before the shutdown began. */
  readonly #work: Track = (run, work) => {
    if (this.#closing) return Promise.reject(stopping());
    const done = this.#untilSettled(run, work());
    this.#live.set(run, done);
    return done;
  };

  async #untilSettled(run: LiveRun, work: Promise<RunOutcome>): Promise<RunOutcome> {
    try {
      const outcome = await work;
      this.#waiters.notify(outcome);
      return outcome;
    } finally {
      this.#live.delete(run);
    }
  }

  constructor(env: EraseEnv) {
    this.#env = env;
    this.stored = new StoredRuns(env);
    this.#waiters = new ApprovalWaiters(env);
    this.#background = new BackgroundQueue(env, this.#track, this.under_way);
  }

  /**
   * Takes a run from its start until it is settled. If the route lets callers wait for a decision, until the run ends or the wait is over. `gone`
   * aborts when the client has disconnected.
   * @throws {SvcError} SVC-BUSY-001, SVC-BUSY-002, SVC-OPS-001, SVC-OPS-002, SVC-RATE-001, SVC-RUN-006, SVC-STORE-001
   */
  start(asked: RunRequest, gone?: AbortSignal): Promise<RunOutcome> {
    const { approval_wait_ms } = asked.route;
    const done = this.under_way.during(this.#start(asked, gone));
    if (!asked.synchronous || approval_wait_ms === 0) return done;
    return done.then((outcome) =>
      outcome.row.status === 'paused' ? this.#waiters.wait(outcome, approval_wait_ms, gone) : outcome,
    );
  }

  async #start(asked: RunRequest, gone?: AbortSignal): Promise<RunOutcome> {
    const run_id = newRunId(this.#env.clock.now());
    const claim = await this.#admit(run_id, asked, gone);
    const run = newRun(run_id, asked, 'running', this.#env);
    run.claim = claim;
    run.transport = asked.embedding?.transport(this.#env) ?? null;
    if (asked.sink !== null && canStream(asked.route)) {
      const keep = run.keepAnswer || this.#env.record_content;
      run.transport = responseStream({ sink: asked.sink, keep }, this.#env);
    }
    const leave = (): void => run.abort.abort('disconnected');
    gone?.addEventListener('abort', leave, { once: true });
    if (gone?.aborted === true) leave();
    try {
      return await this.#work(run, () => {
        const isKeyed = asked.idempotency_key !== null;
        // Before a stream sends anything, even a keep-alive comment, the run's row must be on disk.
        if (this.#env.record_start || asked.sink !== null || isKeyed)
          recordStart(run, () => asked.sink?.ready(run.run_id), this.#env);
        const begin = (): Promise<RunOutcome> => advance(run, FROM_THE_START, this.#env);
        // With an idempotency key, the run is on disk before it begins, so that a repeated request finds it while it is in progress.
        return isKeyed && run.startWrite !== null ? run.startWrite.then(begin) : begin();
      });
    } catch (error) {
      if (error instanceof DuplicateRun) return this.#firstOf(error, run);
      if (error instanceof LostRace)
        throw new SvcError(
          'SVC-STORE-001',
          'this process was unresponsive, so another process took over the run; check its status, then send the request again',
          { run_id: run.run_id },
        );
      throw error;
    } finally {
      claim?.end();
      run.bytes.release();
      gone?.removeEventListener('abort', leave);
    }
  }

  /**
   * Asks the guards of one stage about a body. Calls no model and never pauses. `gone` aborts when the client has disconnected.
   * @throws {SvcError} SVC-BUSY-002, SVC-OPS-001, SVC-OPS-002, SVC-STORE-001
   */
  async check(asked: CheckRequest, gone: AbortSignal): Promise<RunOutcome> {
    if (asked.evidence) await this.#assertOpen();
    this.#env.policy.assertBegins(asked);
    return this.under_way.during(checkBody(asked, gone, this.#env, this.#work));
  }

  /** Stores a run as `pending` for the queue. `onSettled` is called once; immediately, if no run was started. */
  startInBackground(asked: RunRequest, onSettled: SettledListener = () => undefined): Promise<RunOutcome> {
    return this.under_way.during(this.#startInBackground(asked, onSettled));
  }

  async #startInBackground(asked: RunRequest, onSettled: SettledListener): Promise<RunOutcome> {
    let run: LiveRun | null = null;
    let claim: PauseClaim | null = null;
    try {
      const run_id = newRunId(this.#env.clock.now());
      claim = await this.#admit(run_id, asked);
      run = newRun(run_id, asked, 'pending', this.#env);
      run.claim = claim;
      return await this.#background.add(run, onSettled);
    } catch (error) {
      claim?.end();
      onSettled('complete');
      if (run !== null && error instanceof DuplicateRun) return this.#firstOf(error, run);
      throw error;
    }
  }

  /** @throws {SvcError} see {@link decide} */
  async resume(run_id: string, principal_id: string, decision: Decision): Promise<RunOutcome> {
    await this.#assertOpen();
    const deciding = { env: this.#env, track: this.#track, under_way: this.under_way };
    return this.under_way.during(decide(run_id, principal_id, decision, deciding));
  }

  /** Watches the paused runs of all processes over the store. Reads them only when it is asked. */
  pausedChanges(): PausedChanges {
    return new PausedChanges(this.#env);
  }

  /** @throws {SvcError} see {@link erase} */
  erase(run_id: string, by: Eraser): Promise<Erased> {
    return this.under_way.during(this.#erasing.take(run_id, () => erase(run_id, by, this.#env, this.#track)));
  }

  /** @param isDead says whether another instance is dead, so that its runs are recovered */
  recover(isDead: RecoveryScope['isDead']): Promise<{ requeued: number; interrupted: number }> {
    // Evaluated for each row, because runs start while the store is read.
    const isLive = (run_id: string): boolean => [...this.#live.keys()].some((run) => run.run_id === run_id);
    const isLocal = (run_id: string): boolean => isLive(run_id) || this.#background.has(run_id);
    return this.under_way.during(recover(this.#background, { isLocal, isDead, isOver: () => this.#closing }, this.#env));
  }

  /** @param now time by the store's clock */
  expire(now: number): Promise<void> {
    return this.under_way.during(expire({ now, isOver: () => this.#closing }, this.#env, this.#track));
  }

  /** Ends what an operator has disabled: active runs, and callers' waits for a decision. */
  endDisabled(): void {
    for (const run of this.#live.keys()) this.#stopDisabled(run);
    this.#waiters.endDisabled();
  }

  /** Accepts no new work, waits for running work, then interrupts the rest. When this resolves, every run has its evidence. */
  async close(grace_ms: number): Promise<void> {
    this.#closing = true;
    this.#background.close();
    this.#waiters.close();
    const timer = setTimeout(() => {
      for (const run of this.#live.keys()) run.abort.abort('interrupted');
    }, grace_ms);
    while (this.#live.size > 0) await Promise.allSettled(this.#live.values());
    clearTimeout(timer);
  }

  #stopDisabled(run: LiveRun): void {
    const stop = this.#env.policy.stopOf(run);
    if (stop !== null) run.abort.abort(stop);
  }

  /** The outcome of the earlier run with the same key. */
  async #firstOf({ run_id }: DuplicateRun, asked: LiveRun): Promise<RunOutcome> {
    assertSameRequest(await findRun(run_id, this.#env), asked.row);
    // This request did not reach a model.
    return { ...(await readOutcome(run_id, this.#env)), cost: 'complete' };
  }

  /** @returns see {@link claimPause}. The caller must end the claim with the run */
  async #admit(run_id: string, asked: RunRequest, gone?: AbortSignal): Promise<PauseClaim | null> {
    await this.#assertOpen();
    this.#env.policy.assertBegins(asked);
    const claim = await claimPause(run_id, asked, gone, this.#env);
    try {
      // The route or principal may have been disabled meanwhile.
      this.#env.policy.assertBegins(asked);
      return claim;
    } catch (error) {
      claim?.end();
      throw error;
    }
  }

  #assertOpen(): Promise<void> {
    if (this.#closing) throw stopping();
    this.#env.assertStamped();
    return this.#env.writer.assertWritable();
  }
}
