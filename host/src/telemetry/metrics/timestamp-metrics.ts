import type { Gateway } from '@svc/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the ledger's time stamps. */
export class TimestampMetrics {
  readonly #failures: Counter;
  readonly #lag: Gauge;
  readonly #time: Gauge;

  /** @param own metrics of this process @param stored metrics that are the same in every process */
  constructor(own: Registry, stored: Registry) {
    this.#failures = new Counter({
      name: 'svc_timestamp_failures_total',
      help: 'Requests to the time-stamp authority that returned no valid token; each is retried.',
      registers: [own],
    });
    this.#lag = new Gauge({
      name: 'svc_timestamp_lag_records',
      help: 'Ledger records not yet covered by a time stamp.',
      registers: [stored],
    });
    this.#time = new Gauge({
      name: 'svc_timestamp_time_seconds',
      help: 'Time of the newest time stamp; 0 if there is none.',
      registers: [stored],
    });
    for (const gauge of [this.#lag, this.#time]) gauge.remove();
  }

  timestampFailed(): void {
    this.#failures.inc();
  }

  /** Reads the store. If that fails, the store's gauges have no value, and the scrape still succeeds. */
  async read({ audit }: Gateway): Promise<void> {
    try {
      if (!audit.ledger.hasTimestamps) return;
      const [stamped, length] = await Promise.all([audit.ledger.stamped(), audit.chainLength()]);
      this.#lag.set(Math.max(0, length - (stamped?.size ?? 0)));
      this.#time.set((stamped?.time.getTime() ?? 0) / 1000);
    } catch {
      for (const gauge of [this.#lag, this.#time]) gauge.remove();
    }
  }
}
