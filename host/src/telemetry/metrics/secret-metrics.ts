import { Counter, type Registry } from 'prom-client';

/** Secrets that are read again while the gateway runs. */
export class SecretMetrics {
  readonly #refreshes: Counter;

  constructor(registry: Registry) {
    this.#refreshes = new Counter({
      name: 'svc_secret_refreshes_total',
      help: 'Secrets that were read again, by backend and outcome (same, changed, failed).',
      labelNames: ['backend', 'outcome'],
      registers: [registry],
    });
  }

  refreshed(backend: string, outcome: string): void {
    this.#refreshes.inc({ backend, outcome });
  }
}
