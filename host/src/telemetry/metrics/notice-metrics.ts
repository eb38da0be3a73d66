import { Counter, type Registry } from 'prom-client';

/** Messages to people and services. */
export class NoticeMetrics {
  readonly #notices: Counter<'target' | 'outcome'>;

  constructor(registry: Registry) {
    this.#notices = new Counter({
      name: 'svc_notices_total',
      help: 'Attempts to deliver notices, by target and outcome.',
      labelNames: ['target', 'outcome'],
      registers: [registry],
    });
  }

  ended(target: string, outcome: string): void {
    this.#notices.inc({ target, outcome });
  }
}
