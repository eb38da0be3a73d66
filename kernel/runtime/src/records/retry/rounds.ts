import { type Logger, withTimeout } from '@svc/contracts';
import { reasonOf } from './delivery-failure.ts';

const LIMIT_MS = 10_000;

/** A request of a round took too long. */
class RoundTimeout extends Error {
  override readonly name = 'RoundTimeout';
  readonly code = 'TIMEOUT';
}

/** Work with others that nothing waits for: one round at a time. */
export class Rounds {
  readonly #failure: { readonly event: string; readonly logger: Logger };
  readonly #closing = new AbortController();
  #round: Promise<void> | null = null;

  /** @param failure the event that is logged when a round fails */
  constructor(failure: { readonly event: string; readonly logger: Logger }) {
    this.#failure = failure;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Starts a round, unless one is under way. Does not wait for it. */
  start(work: () => Promise<void>): void {
    if (this.#round !== null || this.isClosed) return;
    const { event, logger } = this.#failure;
    this.#round = work()
      .catch((error: unknown) => logger.warn({ event, reason: reasonOf(error) }))
      .finally(() => {
        this.#round = null;
      });
  }

  /** Sends a request of a round. @throws {RoundTimeout} after 10 s, and when closed */
  async request<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    const answered = await withTimeout(send(AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])), LIMIT_MS, signal);
    if (!answered.done) throw new RoundTimeout('no response in time');
    return answered.value;
  }

  /** Aborts the round under way, and waits for its end. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#round;
  }
}
