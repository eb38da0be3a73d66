import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '@svc/contracts';

/** Places in each of the tables; see {@link VisitorQuota}. */
const PLACES = 1 << 18;
const TABLES = 4;

/** The quota of a visitor. */
export interface Standing {
  readonly granted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole quota is there again; at least 1. */
  readonly reset_s: number;
}

/**
 * So many requests for each visitor in a window that is the same for all: it begins with the first request after the one before has ended.
 * A megabyte, given once: a visitor has one place in each of four tables, by a keyed hash, and counts as the least of them says (a
 * count-min sketch with conservative update, Estan and Varghese 2002). So no visitor is forgotten because others came, as in a cache that
 * others can fill; in a flood one may at worst be taken for a busier one.
 */
export class VisitorQuota {
  readonly #limit: number;
  readonly #window_ms: number;
  readonly #clock: Clock;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #counts = new Uint8Array(PLACES * TABLES);
  #ends = Number.NEGATIVE_INFINITY;

  /** @param limit at most 255 */
  constructor(limit: number, window_ms: number, clock: Clock) {
    this.#limit = limit;
    this.#window_ms = window_ms;
    this.#clock = clock;
  }

  /** Takes one of a visitor's quota, unless it is used up. */
  take(visitor: string): Standing {
    const now = this.#clock.monotonic();
    if (now >= this.#ends) {
      this.#ends = now + this.#window_ms;
      this.#counts.fill(0);
    }
    const places = this.#placesOf(visitor);
    const before = Math.min(...places.map((place) => this.#counts[place] ?? 0));
    const granted = before < this.#limit;
    const used = granted ? before + 1 : before;
    // A place that is ahead counts for somebody else.
    for (const place of places) if ((this.#counts[place] ?? 0) < used) this.#counts[place] = used;
    const reset_s = Math.max(1, Math.ceil((this.#ends - now) / 1000));
    return { granted, limit: this.#limit, remaining: this.#limit - used, reset_s };
  }

  #placesOf(visitor: string): number[] {
    const bytes = hash('sha256', `${this.#secret} ${visitor}`, 'buffer');
    return Array.from({ length: TABLES }, (_, table) => table * PLACES + (bytes.readUInt32LE(table * 4) % PLACES));
  }
}
