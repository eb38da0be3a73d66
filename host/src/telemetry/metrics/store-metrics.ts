import { RUN_STATUSES } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import { Gauge, type Registry } from 'prom-client';

/** Metrics of what is stored. They are the same in every process, so they are never added up. */
export class StoreMetrics {
  readonly #byStatus: Gauge<'status'>;
  readonly #pending: Gauge;
  readonly #ledger: Gauge;
  readonly #reviews: Gauge<'route'>;
  readonly #writable: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    // Not named `svc_runs`, because OpenMetrics reserves that for the family of the counter `svc_runs_total`.
    this.#byStatus = new Gauge({ name: 'svc_stored_runs', help: 'Stored runs by status.', labelNames: ['status'], registers });
    this.#pending = new Gauge({ name: 'svc_approvals_pending', help: 'Paused runs waiting for approval.', registers });
    this.#reviews = new Gauge({
      name: 'svc_route_next_review_timestamp_seconds',
      help: 'Day on which the next review of a route is due, in seconds since the Unix epoch.',
      labelNames: ['route'],
      registers,
    });
    this.#writable = new Gauge({
      name: 'svc_evidence_writable',
      help: '1 if evidence can be written, otherwise 0: all requests are refused.',
      registers,
    });
    this.#ledger = new Gauge({ name: 'svc_ledger_records', help: 'Number of records in the ledger.', registers });
  }

  /** Reads the store. If that fails, the store's gauges have no value, and the scrape still succeeds. */
  async read(gateway: Gateway): Promise<void> {
    this.#writable.set(Number(await gateway.writable()));
    try {
      const { run_stats, chain_length, inventory } = await gateway.audit.report();
      // A route may be gone, or have no review any longer.
      this.#reviews.reset();
      for (const status of RUN_STATUSES) this.#byStatus.set({ status }, run_stats[status]);
      this.#pending.set(run_stats.paused);
      this.#ledger.set(chain_length);
      for (const { model_id: route, next_review_date: next } of inventory)
        if (next !== null) this.#reviews.set({ route }, Date.parse(next) / 1000);
    } catch {
      this.#byStatus.reset();
      this.#reviews.reset();
      this.#pending.set(Number.NaN);
      this.#ledger.set(Number.NaN);
    }
  }
}
