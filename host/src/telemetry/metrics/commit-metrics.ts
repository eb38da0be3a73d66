import { Histogram, type Registry } from 'prom-client';

/** Metrics of writing evidence. */
export class CommitMetrics {
  readonly #seconds: Histogram;
  readonly #changes: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: 'svc_commit_duration_seconds',
      help: 'Duration of a group commit.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.#changes = new Histogram({
      name: 'svc_commit_changes',
      help: 'Changes per group commit.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    });
  }

  commit(duration_ms: number, changes: number): void {
    this.#seconds.observe(duration_ms / 1000);
    this.#changes.observe(changes);
  }
}
