import type { GuardFailureReport } from '@svc/kernel/observing';
import { Counter, type Registry } from 'prom-client';

/** Metrics of guards' failures. With `on_error: allow`, a failure would otherwise look like a verdict. */
export class GuardMetrics {
  readonly #failures: Counter<'node' | 'stage' | 'reason' | 'on_error' | 'observed'>;

  constructor(registry: Registry) {
    this.#failures = new Counter({
      name: 'svc_guard_failures_total',
      help: 'Guard calls that returned no verdict, by node, stage, reason and the on_error of the node.',
      labelNames: ['node', 'stage', 'reason', 'on_error', 'observed'],
      registers: [registry],
    });
  }

  guardFailed({ node, stage, reason, on_error, observed }: GuardFailureReport): void {
    this.#failures.inc({ node, stage, reason, on_error, observed: String(observed) });
  }
}
