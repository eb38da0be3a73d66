import type { Gateway, Observer, RunReport } from '@svc/kernel';
import { RUN_STATUSES } from '@svc/kernel/contracts';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics. Labels take names from the configuration and closed lists only. */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #runs = new Counter({
    name: 'svc_runs_total',
    help: 'Runs that took a status, by route.',
    labelNames: ['route', 'status'] as const,
    registers: [this.#registry],
  });
  readonly #verdicts = new Counter({
    name: 'svc_verdicts_total',
    help: 'Verdicts by node and stage; observed="true" where the node only records.',
    labelNames: ['node', 'stage', 'verdict', 'observed'] as const,
    registers: [this.#registry],
  });
  readonly #guardSeconds = new Histogram({
    name: 'svc_guard_duration_seconds',
    help: 'Time a guard took for one verdict.',
    labelNames: ['node', 'stage'] as const,
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.#registry],
  });
  readonly #commitSeconds = new Histogram({
    name: 'svc_commit_duration_seconds',
    help: 'Time one group of changes took to be durable.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
    registers: [this.#registry],
  });
  readonly #commitChanges = new Histogram({
    name: 'svc_commit_changes',
    help: 'Changes written in one group.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [this.#registry],
  });
  readonly #byStatus = new Gauge({
    name: 'svc_runs',
    help: 'Stored runs by status.',
    labelNames: ['status'] as const,
    registers: [this.#registry],
  });
  readonly #ledger = new Gauge({ name: 'svc_ledger_records', help: 'Records in the ledger.', registers: [this.#registry] });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  status(route: string, status: string): void {
    this.#runs.inc({ route, status });
  }

  rest({ nodes }: RunReport): void {
    for (const { node, stage, verdict, observed, duration_ms } of nodes) {
      this.#verdicts.inc({ node, stage, verdict, observed: String(observed) });
      this.#guardSeconds.observe({ node, stage }, duration_ms / 1000);
    }
  }

  commit(duration_ms: number, changes: number): void {
    this.#commitSeconds.observe(duration_ms / 1000);
    this.#commitChanges.observe(changes);
  }

  /** What `/metrics` answers. A store that cannot be read leaves its gauges without a value rather than failing the scrape. */
  async expose(gateway: Gateway): Promise<{ body: string; contentType: string }> {
    try {
      const counts = await gateway.countRuns();
      for (const status of RUN_STATUSES) this.#byStatus.set({ status }, counts[status]);
      this.#ledger.set(await gateway.chainLength());
    } catch {
      this.#byStatus.reset();
      this.#ledger.set(Number.NaN);
    }
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
