import type { Clock } from '@svc/contracts';
import { type Gateway, PeriodicTask } from '@svc/runtime';
import { occurrence } from './notice.ts';
import type { Once } from './once.ts';
import type { StoreTrouble } from './store-trouble.ts';

const EVERY_MS = 5_000;
const AGAIN_AFTER_MS = 3_600_000;

interface ExporterWatchOptions {
  readonly audit: Gateway['audit'];
  /** Undelivered records. */
  readonly threshold: number;
  readonly once: Once;
  readonly clock: Clock;
  readonly trouble: StoreTrouble;
}

/** Reports exporters that lag, at most once an hour each. */
export class ExporterWatch {
  readonly #options: ExporterWatchOptions;
  readonly #task: PeriodicTask;

  constructor(options: ExporterWatchOptions) {
    this.#options = options;
    this.#task = new PeriodicTask(() => this.#look(), { every_ms: EVERY_MS, failed: (error) => options.trouble.failed(error) });
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #look(): Promise<void> {
    const { audit, threshold, once, clock } = this.#options;
    const [cursors, length] = await Promise.all([audit.exportCursors(), audit.chainLength()]);
    const expires_at = clock.now() + AGAIN_AFTER_MS;
    const lagging = [...cursors].flatMap(([name, cursor]) => {
      const amount = length - cursor;
      if (amount < threshold) return [];
      return [{ name: `exporter/${name}`, expires_at, occurrence: occurrence('exporter_lagging', { name, amount }) }];
    });
    await once.report(lagging);
  }
}
