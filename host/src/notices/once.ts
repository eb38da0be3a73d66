import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Counters, Store } from '@svc/contracts';
import { LeaderLease } from '@svc/runtime';
import type { Occurrence } from './notice.ts';

/** After a crash, another process reports when this time is over. */
const LEASE_MS = 20_000;

/** An occurrence that only one of the processes that share a store reports, until `expires_at` (milliseconds since the epoch). */
export interface OnceOnly {
  readonly name: string;
  readonly expires_at: number;
  readonly occurrence: Occurrence;
}

interface OnceOptions {
  /** Processes with the same lease report one after the other. */
  readonly lease: string;
  readonly leases: Pick<Store, 'acquireLease' | 'releaseLease'>;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly report: (occurrence: Occurrence) => void;
  /** Resolves when everything reported is stored. */
  readonly stored: () => Promise<void>;
}

/** Reports names once. Stores the occurrences before it marks their names, so that a crash in between repeats a report instead of losing it. */
export class Once {
  readonly #options: OnceOptions;
  readonly #leader: LeaderLease;
  /** Names that were reported, and until when. Saves reading the store again. */
  readonly #known = new Map<string, number>();
  /** Names that this process reported but has not marked in the store yet. */
  readonly #unmarked = new Map<string, number>();

  constructor(options: OnceOptions) {
    this.#options = options;
    this.#leader = new LeaderLease(options.leases, randomUUID());
  }

  isKnown(name: string): boolean {
    return (this.#known.get(name) ?? 0) > this.#options.clock.now();
  }

  /** Reports what no process has reported. @returns false if another process is reporting: call it again */
  async report(found: readonly OnceOnly[]): Promise<boolean> {
    const fresh = found.filter(({ name }) => !this.isKnown(name));
    if (fresh.length === 0 && this.#unmarked.size === 0) return true;
    if (!(await this.#leader.take(this.#options.lease, LEASE_MS))) return false;
    try {
      const { counters, report, stored } = this.#options;
      const marks = await counters.read(fresh.map(({ name }) => keyOf(name)));
      for (const [index, { name, expires_at, occurrence }] of fresh.entries()) {
        this.#know(name, expires_at);
        if (marks[index] !== 0) continue;
        this.#unmarked.set(name, expires_at);
        report(occurrence);
      }
      await stored();
      await Promise.all([...this.#unmarked].map(([name, expires_at]) => this.#mark(name, expires_at)));
      return true;
    } finally {
      await this.#leader.end();
    }
  }

  #know(name: string, expires_at: number): void {
    for (const [known, until] of this.#known) if (until <= this.#options.clock.now()) this.#known.delete(known);
    this.#known.set(name, expires_at);
  }

  async #mark(name: string, expires_at: number): Promise<void> {
    const key = keyOf(name);
    await this.#options.counters.reserve(randomUUID(), [{ key, amount: 1, limit: 1, expires_at }]);
    this.#unmarked.delete(name);
  }
}

function keyOf(name: string): string {
  return `notice/${createHash('sha256').update(name).digest('hex')}`;
}
