import { errorName, type Logger } from '@svc/contracts';
import type { Receiver } from './receivers.ts';

/** Logs once that the store cannot be used for notices, or for those of one receiver, and again only after a write has succeeded. */
export class StoreTrouble {
  readonly #logger: Logger;
  readonly #named: Partial<Receiver['named']>;
  #isLogged = false;

  constructor(logger: Logger, named: Partial<Receiver['named']> = {}) {
    this.#logger = logger;
    this.#named = named;
  }

  failed(error: unknown): void {
    if (!this.#isLogged) this.#logger.warn({ event: 'notices_failed', ...this.#named, reason: errorName(error) });
    this.#isLogged = true;
  }

  /** Call it after a successful write. A read is not enough: a full disk can still be read. */
  over(): void {
    this.#isLogged = false;
  }
}
