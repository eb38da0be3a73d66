import type { Logger } from '@svc/contracts';
import { remedyOf } from './remedies.ts';

/** Logs how to fix a failed connection, but not again until a connection succeeds. */
export class ConnectionLog {
  readonly #logger: Logger;
  #problem: string | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** A failure without a remedy is not logged here: the caller reports it. */
  failed(reason: string, remedy = remedyOf(reason)): void {
    if (remedy === null || this.#problem === reason) return;
    this.#problem = reason;
    this.#logger.warn({ event: 'connection_failed', reason, remedy });
  }

  succeeded(): void {
    this.#problem = null;
  }
}
