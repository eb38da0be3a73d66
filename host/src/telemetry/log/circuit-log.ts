import type { Endpoint, Logger } from '@svc/contracts';
import type { CircuitCause } from '@svc/kernel/observing';

/** A line when an endpoint is passed over from now on, and why; another when it answers again. */
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
