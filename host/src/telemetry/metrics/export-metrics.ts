import type { Gateway } from '@svc/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the exporters' progress. */
export class ExportMetrics {
  readonly #failures: Counter<'exporter'>;
  readonly #through: Gauge<'exporter'>;
  readonly #lag: Gauge<'exporter'>;
  readonly #lastError: Gauge<'exporter' | 'reason'>;
  /** The last delivered seq, by exporter. */
  readonly #taken = new Map<string, number>();
  readonly #reasons = new Map<string, string>();

  /** @param own metrics of this process @param stored metrics that are the same in every process */
  constructor(own: Registry, stored: Registry) {
    this.#failures = new Counter({
      name: 'svc_exporter_failures_total',
      help: 'Failed deliveries to an exporter; each is retried.',
      labelNames: ['exporter'],
      registers: [own],
    });
    this.#through = new Gauge({
      name: 'svc_exporter_through_seq',
      help: 'Last ledger record delivered by an exporter.',
      labelNames: ['exporter'],
      registers: [stored],
    });
    this.#lag = new Gauge({
      name: 'svc_exporter_lag_records',
      help: 'Ledger records not yet delivered by an exporter.',
      labelNames: ['exporter'],
      registers: [stored],
    });
    this.#lastError = new Gauge({
      name: 'svc_exporter_last_error',
      help: '1 if the last delivery to an exporter failed; the reason is a code.',
      labelNames: ['exporter', 'reason'],
      registers: [own],
    });
  }

  exported(exporter: string, through: number): void {
    this.#taken.set(exporter, through);
    this.#forget(exporter);
  }

  exportFailed(exporter: string, reason: string): void {
    this.#failures.inc({ exporter });
    this.#forget(exporter);
    this.#reasons.set(exporter, reason);
    this.#lastError.set({ exporter, reason }, 1);
  }

  /** Reads the store. If that fails, the store's gauges have no value, and the scrape still succeeds. */
  async read(gateway: Gateway): Promise<void> {
    try {
      const [cursors, length] = await Promise.all([gateway.audit.exportCursors(), gateway.audit.chainLength()]);
      for (const [exporter, cursor] of cursors) {
        const through = Math.max(cursor, this.#taken.get(exporter) ?? 0);
        this.#through.set({ exporter }, through);
        this.#lag.set({ exporter }, Math.max(0, length - through));
        this.#failures.inc({ exporter }, 0);
      }
    } catch {
      this.#through.reset();
      this.#lag.reset();
    }
  }

  #forget(exporter: string): void {
    const reason = this.#reasons.get(exporter);
    if (reason === undefined) return;
    this.#reasons.delete(exporter);
    this.#lastError.remove({ exporter, reason });
  }
}
