import { Gauge, type Registry } from 'prom-client';
import type { GatheredParts } from './parts.ts';

/** How whole the numbers of several processes are. */
export class WorkerMetrics {
  readonly #workers: Gauge<'state'>;

  constructor(registry: Registry) {
    this.#workers = new Gauge({
      name: 'svc_workers',
      help: 'Workers whose metrics are included, and those missing.',
      labelNames: ['state'],
      registers: [registry],
    });
  }

  set({ workers, answered }: GatheredParts): void {
    this.#workers.set({ state: 'answered' }, answered);
    this.#workers.set({ state: 'missing' }, workers - answered);
  }
}

/** Lines that readers of metrics pass over and people do not. */
export function commentOn({ late }: GatheredParts): string {
  return late.map((pid) => `# worker ${pid} did not answer in time: its part is that of its last answer\n`).join('');
}
