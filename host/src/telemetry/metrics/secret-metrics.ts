import { Counter, type Registry } from 'prom-client';

/** Secrets that are read again while the gateway runs, and keys that do not sign. */
export class SecretMetrics {
  readonly #refreshes: Counter;
  readonly #unsigned: Counter;

  constructor(registry: Registry) {
    this.#refreshes = new Counter({
      name: 'svc_secret_refreshes_total',
      help: 'Secrets that were read again, by backend and outcome (same, changed, failed).',
      labelNames: ['backend', 'outcome'],
      registers: [registry],
    });
    this.#unsigned = new Counter({
      name: 'svc_signing_failures_total',
      help: 'Failures of a signing key to sign a checkpoint; each is retried. Records are still written.',
      registers: [registry],
    });
  }

  notSigned(): void {
    this.#unsigned.inc();
  }

  refreshed(backend: string, outcome: string): void {
    this.#refreshes.inc({ backend, outcome });
  }
}
