import type { CounterHold, Counters } from '@svc/contracts';
import { PeriodicTask } from '@svc/runtime';
import { watchedCounters } from '../limits/watched-counters.ts';
import { occurrence } from './notice.ts';
import type { Once, OnceOnly } from './once.ts';
import type { StoreTrouble } from './store-trouble.ts';

const EVERY_MS = 1_000;
/** Maximum number of counters that are collected for the next reading. Others are read after their next reservation. */
const MAX_COUNTERS = 1_000;

interface BudgetWatchOptions {
  readonly counters: Counters;
  readonly percent: number;
  readonly once: Once;
  readonly trouble: StoreTrouble;
}

/** Reports budgets that are nearly used up, once each. It reads the counters after their reservations, so that no run waits for it. */
export class BudgetWatch {
  readonly #options: BudgetWatchOptions;
  readonly #reserved = new Map<string, CounterHold>();
  readonly #task: PeriodicTask;

  constructor(options: BudgetWatchOptions) {
    this.#options = options;
    this.#task = new PeriodicTask(() => this.#look(), { every_ms: EVERY_MS, failed: (error) => options.trouble.failed(error) });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Wraps the counters, so that reservations are watched. */
  watched(counters: Counters): Counters {
    return watchedCounters(counters, (hold) => this.#note(hold));
  }

  #note(hold: CounterHold): void {
    const { key, expires_at } = hold;
    const { once } = this.#options;
    // The counter of a session lasts as long as the session.
    if (once.isKnown(key)) once.prolong(key, expires_at);
    else if (this.#reserved.has(key) || this.#reserved.size < MAX_COUNTERS) this.#reserved.set(key, hold);
  }

  async #look(): Promise<void> {
    const holds = [...this.#reserved.values()];
    this.#reserved.clear();
    let isReported = false;
    try {
      const low = await this.#low(holds);
      isReported = await this.#options.once.report(low);
      if (isReported) for (const { name, expires_at } of low) this.#options.once.prolong(name, expires_at);
    } finally {
      if (!isReported) for (const hold of holds) this.#note(hold);
    }
  }

  /** The budgets that are nearly used up. */
  async #low(holds: readonly CounterHold[]): Promise<OnceOnly[]> {
    const { counters, percent } = this.#options;
    if (holds.length === 0) return [];
    const used = await counters.read(holds.map(({ key }) => key));
    return holds.flatMap(({ key, label = null, limit, expires_at }, index) => {
      const share = Math.floor(((used[index] ?? 0) * 100) / limit);
      if (share < percent) return [];
      return [{ name: key, expires_at, occurrence: occurrence('budget_low', { name: label, amount: share }) }];
    });
  }
}
