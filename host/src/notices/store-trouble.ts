import { errorName, type Logger } from '@svc/contracts';

/** Logs that the store cannot be used for notices: once, until something is written again. */
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

  /** Something was written. A full disk can still be read. */
  over(): void {
    this.#isLogged = false;
  }
}
