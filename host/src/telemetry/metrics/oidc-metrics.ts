import { Counter, type Registry } from 'prom-client';

/** Metrics of the issuers of tokens. */
export class OidcMetrics {
  readonly #failures: Counter<'issuer'>;

  constructor(registry: Registry) {
    this.#failures = new Counter({
      name: 'svc_oidc_issuer_failures_total',
      help: 'Failed attempts to fetch the metadata and keys of an issuer.',
      labelNames: ['issuer'],
      registers: [registry],
    });
  }

  failed(issuer: string): void {
    this.#failures.inc({ issuer });
  }
}
