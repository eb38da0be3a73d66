import type { Endpoint, Logger } from '@svc/contracts';
import type { CircuitCause } from '@svc/kernel/observing';

/** Logs a line when an endpoint starts to be skipped, with the reason, and another one when it responds again. */
export class CircuitLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  circuit({ provider, model }: Endpoint, cause: CircuitCause, open: boolean): void {
    if (open) this.#logger.warn({ event: 'circuit_opened', provider, model, cause });
    else this.#logger.info({ event: 'circuit_closed', provider, model, cause });
  }
}
