import type { Gateway } from '@svc/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the witnesses' progress. */
export class WitnessMetrics {
  readonly #failures: Counter<'witness'>;
  readonly #lag: Gauge<'witness'>;

  /** @param own metrics of this process @param stored metrics that are the same in every process */
  constructor(own: Registry, stored: Registry) {
    this.#failures = new Counter({
      name: 'svc_witness_failures_total',
      help: 'Failures of a witness to cosign a checkpoint; each is retried, or a later checkpoint is tried.',
      labelNames: ['witness'],
      registers: [own],
    });
    this.#lag = new Gauge({
      name: 'svc_witness_lag_records',
      help: 'Ledger records not yet cosigned by a witness.',
      labelNames: ['witness'],
      registers: [stored],
    });
  }

  witnessFailed(witness: string): void {
    this.#failures.inc({ witness });
  }

  /** Reads the store. If that fails, the store's gauge has no value, and the scrape still succeeds. */
  async read(gateway: Gateway): Promise<void> {
    try {
      const witnesses = await gateway.audit.ledger.witnesses();
      if (witnesses.length === 0) return;
      const length = await gateway.audit.chainLength();
      for (const { name, cosigned_size } of witnesses) {
        this.#lag.set({ witness: name }, Math.max(0, length - cosigned_size));
        this.#failures.inc({ witness: name }, 0);
      }
    } catch {
      this.#lag.reset();
    }
  }
}
