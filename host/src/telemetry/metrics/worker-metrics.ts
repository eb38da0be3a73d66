import { Gauge, type Registry } from 'prom-client';
import type { GatheredParts } from './parts.ts';

/** Metrics of the completeness of metrics with several processes. */
export class WorkerMetrics {
  readonly #workers: Gauge<'state'>;

  constructor(registry: Registry) {
    this.#workers = new Gauge({
      name: 'svc_workers',
      help: 'Workers whose metrics are included, and workers whose metrics are missing.',
      labelNames: ['state'],
      registers: [registry],
    });
  }

  set({ workers, answered }: GatheredParts): void {
    this.#workers.set({ state: 'answered' }, answered);
    this.#workers.set({ state: 'missing' }, workers - answered);
  }
}

/** Comment lines for people. Scrapers ignore them. */
export function commentOn({ late }: GatheredParts): string {
  return late.map((pid) => `# worker ${pid} did not answer in time: its last known values are shown\n`).join('');
}
