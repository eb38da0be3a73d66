import { hasEnded, type RunOutcome } from '@svc/kernel';
import type { GatewayEnv } from './gateway-env.ts';
import { readOutcome } from './read-outcome.ts';

/** Interval at which the store is polled for decisions made in other processes. */
const POLL_EVERY_MS = 1_000;

interface Waiter {
  readonly principal_id: string;
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Synchronous callers that wait for a decision on their paused run. */
export class ApprovalWaiters {
  readonly #env: GatewayEnv;
  readonly #waiting = new Map<string, Waiter>();
  readonly #closing = new AbortController();
  #looking = false;

  constructor(env: GatewayEnv) {
    this.#env = env;
  }

  /**
   * Resolves to the ended run, or to the pause itself if the time is over, the caller has disconnected or the server stops.
   * @throws {SvcError} SVC-OPS-002 when the caller's principal is disabled: the run remains paused, and the caller stops waiting
   */
  async wait(paused: RunOutcome, wait_ms: number, gone: AbortSignal | undefined): Promise<RunOutcome> {
    const { run_id, principal_id } = paused.row;
    const over = AbortSignal.any([AbortSignal.timeout(wait_ms), this.#closing.signal, ...(gone === undefined ? [] : [gone])]);
    try {
      return await new Promise((resolve, reject) => {
        this.#env.policy.assertPrincipal(principal_id);
        this.#waiting.set(run_id, { principal_id, resolve, reject });
        over.addEventListener('abort', () => resolve(paused), { once: true });
        if (over.aborted) resolve(paused);
        this.#checkLater();
      });
    } finally {
      this.#waiting.delete(run_id);
    }
  }

  /** Answers the caller of an ended run. If the run has paused again, the caller continues to wait. */
  notify(outcome: RunOutcome): void {
    if (hasEnded(outcome.row.status)) this.#waiting.get(outcome.row.run_id)?.resolve(outcome);
  }

  /** Answers the callers whose principal an operator has disabled. */
  endDisabled(): void {
    for (const { principal_id, reject } of this.#waiting.values()) {
      try {
        this.#env.policy.assertPrincipal(principal_id);
      } catch (error) {
        reject(error);
      }
    }
  }

  /** Answers all callers with their pause. */
  close(): void {
    this.#closing.abort();
  }

  /** One timer for all callers; none if nobody waits. */
  #checkLater(): void {
    if (this.#looking || this.#waiting.size === 0) return;
    this.#looking = true;
    const look = async (): Promise<void> => {
      await this.#look();
      this.#looking = false;
      this.#checkLater();
    };
    setTimeout(() => void look(), POLL_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) return;
    // Runs that cannot be read now are read the next time.
    const statuses = await this.#env.store.statuses([...this.#waiting.keys()]).catch(() => []);
    const ended = [...statuses].filter(([, status]) => hasEnded(status)).map(([run_id]) => run_id);
    const outcomes = await Promise.allSettled(ended.map((run_id) => readOutcome(run_id, this.#env)));
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') this.notify(outcome.value);
  }
}
