import type { RunRow } from '@svc/contracts';
import type { RunReport } from '@svc/kernel/observing';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Metrics of outcomes of runs, verdicts of guards, and the gateway's own time. */
export class RunMetrics {
  readonly #statuses: Counter<'route' | 'status'>;
  readonly #duration: Histogram<'route'>;
  readonly #overhead: Histogram<'route'>;
  readonly #verdicts: Counter<'node' | 'stage' | 'verdict' | 'observed'>;
  readonly #guards: Histogram<'node' | 'stage'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#statuses = new Counter({
      name: 'svc_runs_total',
      help: 'Transitions of runs, by status and route.',
      labelNames: ['route', 'status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'svc_run_duration_seconds',
      help: 'Time from the start of a run, or its resumption, until it ended or paused.',
      labelNames: ['route'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
      registers,
    });
    this.#overhead = new Histogram({
      name: 'svc_gateway_overhead_seconds',
      help: 'Time of a run, excluding waits for upstreams and slow clients.',
      labelNames: ['route'],
      buckets: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
      registers,
    });
    this.#verdicts = new Counter({
      name: 'svc_verdicts_total',
      help: 'Verdicts by node and stage; observed="true" if the node only observes.',
      labelNames: ['node', 'stage', 'verdict', 'observed'],
      registers,
    });
    this.#guards = new Histogram({
      name: 'svc_guard_duration_seconds',
      help: 'Duration of one guard check.',
      labelNames: ['node', 'stage'],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
  }

  status({ route, status }: RunRow): void {
    this.#statuses.inc({ route, status });
  }

  settled({ route, duration_ms, reader_ms, calls, nodes }: RunReport): void {
    const upstream_ms = calls.reduce((sum, call) => sum + call.upstream_ms, 0);
    this.#duration.observe({ route }, duration_ms / 1000);
    // The parts are measured separately, so rounding could make the difference negative.
    this.#overhead.observe({ route }, Math.max(0, duration_ms - upstream_ms - reader_ms) / 1000);
    for (const { node, stage, verdict, observed, duration_ms: took_ms } of nodes) {
      this.#verdicts.inc({ node, stage, verdict, observed: String(observed) });
      this.#guards.observe({ node, stage }, took_ms / 1000);
    }
  }
}
