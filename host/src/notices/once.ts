import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Counters, Store } from '@svc/contracts';
import { LeaderLease } from '@svc/runtime';
import type { Occurrence } from './notice.ts';

/** After a crash, another process reports when this time is over. */
const LEASE_MS = 20_000;
/** A mark is prolonged by more than is needed, so that it is written at most once in this time. */
const AHEAD_MS = 3_600_000;

/** An occurrence that only one of the processes that share a store reports, until `expires_at` (milliseconds since the epoch). */
export interface OnceOnly {
  readonly name: string;
  readonly expires_at: number;
  readonly occurrence: Occurrence;
}

interface Known {
  readonly until: number;
  /** Until when this process has marked it. 0: another process did, or nobody yet. */
  readonly marked: number;
}

/** `amount`: 1 for a new mark, 0 to prolong one. */
interface Mark {
  readonly amount: 0 | 1;
  readonly expires_at: number;
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
  /** Names that were reported. Saves reading the store again. */
  readonly #known = new Map<string, Known>();
  /** Names that this process has reported or prolonged but not marked in the store yet. */
  readonly #unmarked = new Map<string, Mark>();

  constructor(options: OnceOptions) {
    this.#options = options;
    this.#leader = new LeaderLease(options.leases, randomUUID());
  }

  isKnown(name: string): boolean {
    return (this.#known.get(name)?.until ?? 0) > this.#options.clock.now();
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
        this.#unmarked.set(name, { amount: 1, expires_at });
        report(occurrence);
      }
      await stored();
      await Promise.all([...this.#unmarked].map(([name, mark]) => this.#mark(name, mark)));
      return true;
    } finally {
      await this.#leader.end();
    }
  }

  /** Does not report a known name again before this time, which may be later than that of its report. Stored with the next report. */
  prolong(name: string, expires_at: number): void {
    const known = this.#known.get(name);
    if (known === undefined || known.marked >= expires_at) return;
    const until = expires_at + AHEAD_MS;
    this.#known.set(name, { until, marked: until });
    this.#unmarked.set(name, { amount: this.#unmarked.get(name)?.amount ?? 0, expires_at: until });
  }

  #know(name: string, until: number): void {
    for (const [known, { until: ended }] of this.#known) if (ended <= this.#options.clock.now()) this.#known.delete(known);
    this.#known.set(name, { until, marked: 0 });
  }

  async #mark(name: string, mark: Mark): Promise<void> {
    await this.#options.counters.reserve(randomUUID(), [{ key: keyOf(name), limit: 1, ...mark }]);
    if (this.#unmarked.get(name) === mark) this.#unmarked.delete(name);
  }
}

function keyOf(name: string): string {
  return `notice/${createHash('sha256').update(name).digest('hex')}`;
}
