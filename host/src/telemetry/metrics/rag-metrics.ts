import type { RagOutcome, RagWork } from '@svc/kernel/observing';
import { Histogram, type Registry } from 'prom-client';

/** Metrics of indexing and retrieval: number, outcome, duration. */
export class RagMetrics {
  readonly #seconds: Histogram<'work' | 'outcome'>;

  constructor(registry: Registry) {
    this.#seconds = new Histogram({
      name: 'svc_rag_duration_seconds',
      help: 'Duration of indexing, queries and deletions.',
      labelNames: ['work', 'outcome'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    });
  }

  rag(work: RagWork, outcome: RagOutcome, duration_ms: number): void {
    this.#seconds.observe({ work, outcome }, duration_ms / 1000);
  }
}
