import { errorName, type Logger } from '@svc/contracts';

/** Logs once that notices cannot use the store, and again only after a write has succeeded. */
export class StoreTrouble {
  readonly #logger: Logger;
  #isLogged = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  failed(error: unknown): void {
    if (!this.#isLogged) this.#logger.warn({ event: 'notices_failed', reason: errorName(error) });
    this.#isLogged = true;
  }

  /** Call it after a successful write. A read is not enough: a full disk can still be read. */
  over(): void {
    this.#isLogged = false;
  }
}
