import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '@svc/contracts';

/** Number of places in each of the tables, see {@link VisitorQuota}. */
const PLACES = 1 << 18;
const TABLES = 4;

/** The quota of a visitor. */
export interface Standing {
  readonly granted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the whole quota is available again. At least 1. */
  readonly reset_s: number;
}

/**
 * Limits the requests of each visitor in a time window that all visitors share. A window begins with the first request after the previous window has
 * ended. Memory is fixed at one megabyte: a keyed hash gives each visitor one place in each of four tables, and the smallest count applies (a
 * count-min sketch with conservative update, Estan and Varghese 2002). A flood of visitors cannot evict others, as it could in a cache. At worst, a
 * visitor is mistaken for a busier one.
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

  /** Takes one request from a visitor's quota, unless it is used up. */
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
    // A place with a higher count is shared with another visitor.
    for (const place of places) if ((this.#counts[place] ?? 0) < used) this.#counts[place] = used;
    const reset_s = Math.max(1, Math.ceil((this.#ends - now) / 1000));
    return { granted, limit: this.#limit, remaining: this.#limit - used, reset_s };
  }

  #placesOf(visitor: string): number[] {
    const bytes = hash('sha256', `${this.#secret} ${visitor}`, 'buffer');
    return Array.from({ length: TABLES }, (_, table) => table * PLACES + (bytes.readUInt32LE(table * 4) % PLACES));
  }
}
