import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Counters } from '@svc/contracts';

/** Makes sure that only one of the processes that share a store reports a name. */
export class Once {
  readonly #counters: Counters;
  readonly #clock: Clock;
  /** Names that were reported, and until when. Saves reading the store again. */
  readonly #known = new Map<string, number>();

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  isKnown(name: string): boolean {
    return (this.#known.get(name) ?? 0) > this.#clock.now();
  }

  /** True for the first call with this name in any process, until `expires_at` (milliseconds since the epoch). */
  async isFirst(name: string, expires_at: number): Promise<boolean> {
    const key = `notice/${createHash('sha256').update(name).digest('hex')}`;
    const { granted } = await this.#counters.reserve(randomUUID(), [{ key, amount: 1, limit: 1, expires_at }]);
    for (const [known, until] of this.#known) if (until <= this.#clock.now()) this.#known.delete(known);
    this.#known.set(name, expires_at);
    return granted;
  }
}
