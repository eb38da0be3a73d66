import type { Gateway } from '@svc/kernel';
import { RUN_STATUSES } from '@svc/kernel/contracts';
import { Gauge, Histogram, type Registry } from 'prom-client';
import { ExportMetrics } from './export-metrics.ts';

/** What is stored, how it is written, and how it leaves for elsewhere. */
export class StoreMetrics {
  readonly #commitSeconds: Histogram;
  readonly #commitChanges: Histogram;
  readonly #byStatus: Gauge<'status'>;
  readonly #pending: Gauge;
  readonly #ledger: Gauge;
  readonly exports: ExportMetrics;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#commitSeconds = new Histogram({
      name: 'svc_commit_duration_seconds',
      help: 'Time one group of changes took to be durable.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.#commitChanges = new Histogram({
      name: 'svc_commit_changes',
      help: 'Changes written in one group.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    });
    this.#byStatus = new Gauge({ name: 'svc_runs', help: 'Stored runs by status.', labelNames: ['status'], registers });
    this.#pending = new Gauge({ name: 'svc_approvals_pending', help: 'Paused runs that wait for a decision.', registers });
    this.#ledger = new Gauge({ name: 'svc_ledger_records', help: 'Records in the ledger.', registers });
    this.exports = new ExportMetrics(registry);
  }

  commit(duration_ms: number, changes: number): void {
    this.#commitSeconds.observe(duration_ms / 1000);
    this.#commitChanges.observe(changes);
  }

  /** Reads the store. One that cannot be read leaves its gauges without a value rather than failing the scrape. */
  async read(gateway: Gateway): Promise<void> {
    try {
      const counts = await gateway.countRuns();
      for (const status of RUN_STATUSES) this.#byStatus.set({ status }, counts[status]);
      this.#pending.set(counts.paused);
      const length = await gateway.chainLength();
      this.#ledger.set(length);
      this.exports.read(await gateway.exportCursors(), length);
    } catch {
      this.#byStatus.reset();
      this.#pending.set(Number.NaN);
      this.#ledger.set(Number.NaN);
    }
  }
}
