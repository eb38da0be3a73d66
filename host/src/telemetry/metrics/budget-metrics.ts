import type { Clock, CounterHold, Counters } from '@svc/contracts';
import { Gauge, type Registry } from 'prom-client';
import { watchedCounters } from '../../limits/watched-counters.ts';

/** Maximum number of counters that are collected for the next reading. Others are read after their next reservation. */
const MAX_COUNTERS = 1_000;
/** Counters of each budget that are read again, because a reservation that ends lowers the highest one. */
const MAX_READ_AGAIN = 20;
/** Maximum number of label values. A configuration has few; a plugin could name any number. */
const MAX_BUDGETS = 100;
const OTHER = 'other';

/** A counter that has been read: how much of its limit is spent or reserved. */
interface Share {
  readonly hold: CounterHold;
  readonly budget: string;
  readonly ratio: number;
}

/** Metrics of how much of each budget is used. Reads the counters at a scrape, so that no run waits for it. */
export class BudgetMetrics {
  readonly #ratio: Gauge<'budget'>;
  readonly #reserved = new Map<string, CounterHold>();
  readonly #budgets = new Set<string>();
  #highest: readonly CounterHold[] = [];
  #read: (() => Promise<void>) | null = null;

  constructor(registry: Registry) {
    this.#ratio = new Gauge({
      name: 'svc_budget_used_ratio',
      help: 'Spent and reserved share of a budget in the current period. For a budget per caller, team, route or session: the highest share.',
      labelNames: ['budget'],
      // Workers share the counters.
      aggregator: 'max',
      collect: () => this.#read?.(),
      registers: [registry],
    });
  }

  /** Wraps the counters, so that reservations are watched. */
  watched(counters: Counters, clock: Pick<Clock, 'now'>): Counters {
    this.#read = () => this.#look(counters, clock.now());
    return watchedCounters(counters, (hold) => this.#note(hold));
  }

  #note(hold: CounterHold): void {
    if (this.#reserved.has(hold.key) || this.#reserved.size < MAX_COUNTERS) this.#reserved.set(hold.key, hold);
  }

  async #look(counters: Counters, now: number): Promise<void> {
    const byKey = new Map([...this.#highest, ...this.#reserved.values()].map((hold) => [hold.key, hold]));
    const holds = [...byKey.values()].filter(({ expires_at }) => expires_at > now);
    this.#reserved.clear();
    try {
      const used = holds.length === 0 ? [] : await counters.read(holds.map(({ key }) => key));
      const shares = holds.map((hold, i) => ({ hold, budget: this.#nameOf(hold), ratio: (used[i] ?? 0) / hold.limit }));
      this.#show(shares);
    } catch {
      // The scrape still succeeds. The counters are read at the next one.
      this.#ratio.reset();
      this.#highest = holds;
    }
  }

  #show(shares: readonly Share[]): void {
    this.#ratio.reset();
    const groups = Map.groupBy(shares, ({ budget }) => budget);
    this.#highest = [...groups.values()].flatMap((group) => {
      const sorted = group.toSorted((one, other) => other.ratio - one.ratio);
      return sorted.slice(0, MAX_READ_AGAIN).map(({ hold }) => hold);
    });
    for (const [budget, group] of groups) this.#ratio.set({ budget }, Math.max(...group.map(({ ratio }) => ratio)));
  }

  /** The pack and the limit, without the caller, team or route that follows them. */
  #nameOf({ label = '' }: CounterHold): string {
    const name = label.split('/', 2).join('/');
    if (this.#budgets.size < MAX_BUDGETS) this.#budgets.add(name);
    return this.#budgets.has(name) ? name : OTHER;
  }
}
