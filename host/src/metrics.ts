import type { Gateway, Observer, RunReport } from '@svc/kernel';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { RunMetrics } from './metrics/run-metrics.ts';
import { StoreMetrics } from './metrics/store-metrics.ts';
import { UpstreamMetrics } from './metrics/upstream-metrics.ts';

/** Prometheus metrics. Labels take names from the configuration and closed lists only. */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #runs = new RunMetrics(this.#registry);
  readonly #upstreams = new UpstreamMetrics(this.#registry);
  readonly #store = new StoreMetrics(this.#registry);

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  status(route: string, status: string): void {
    this.#runs.status(route, status);
  }

  rest(report: RunReport): void {
    this.#runs.rest(report);
    this.#upstreams.rest(report);
  }

  commit(duration_ms: number, changes: number): void {
    this.#store.commit(duration_ms, changes);
  }

  exported(exporter: string, through: number): void {
    this.#store.exports.taken(exporter, through);
  }

  exportFailed(exporter: string, reason: string): void {
    this.#store.exports.failed(exporter, reason);
  }

  /** What `/metrics` answers. */
  async expose(gateway: Gateway): Promise<{ body: string; contentType: string }> {
    await this.#store.read(gateway);
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
