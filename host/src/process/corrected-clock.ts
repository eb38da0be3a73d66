import { uptime } from 'node:os';
import type { Clock, Logger } from '@svc/contracts';

/** Interval between two readings of the machine's clock. In between, time advances with the monotonic clock, which cannot be set. */
const LOOK_EVERY_MS = 1000;
/** Corrections up to this size, like those of a time server, are followed at once. */
const SMALL_MS = 5000;
/** If the machine slept, `up` advances at least this much more than `monotonic`. A smaller difference is due to their resolution. */
const SLEPT_MS = 1000;
/** If the machine's clock was set by more, it is followed after this time. */
const BELIEVED_AFTER_MS = 10 * 60_000;

/** Clock readings in milliseconds. `up` advances while the machine sleeps; `monotonic` may not. */
export interface MachineTimes {
  day(): number;
  monotonic(): number;
  up(): number;
}

const machineTimes: MachineTimes = {
  day: () => Date.now(),
  monotonic: () => performance.now(),
  up: () => uptime() * 1000,
};

interface Look {
  readonly day: number;
  readonly monotonic: number;
  readonly up: number;
}

/**
 * The wall clock without sudden jumps. If the clock were wrong by a year for a while, all pauses would expire, and every budget would begin a new
 * period and forget the old one. Sleep is not a jump. On macOS, `up` follows the clock when that is set, so jumps cannot be distinguished from sleep
 * and are followed.
 */
export class CorrectedClock implements Clock {
  /** A field, because every run calls it many times. */
  readonly monotonic: () => number;
  readonly #times: MachineTimes;
  readonly #logger: Logger;
  /** The last reading that this clock followed. */
  #last: Look;
  /** Since when the machine's clock has differed, on the monotonic clock. */
  #elsewhere_since: number | null = null;

  constructor(logger: Logger, times: MachineTimes = machineTimes) {
    this.#logger = logger;
    this.#times = times;
    this.monotonic = times.monotonic;
    this.#last = { day: times.day(), monotonic: times.monotonic(), up: times.up() };
  }

  now(): number {
    const monotonic = this.#times.monotonic();
    if (monotonic - this.#last.monotonic < LOOK_EVERY_MS) return Math.floor(this.#last.day + monotonic - this.#last.monotonic);
    this.#look();
    return Math.floor(this.#last.day);
  }

  #look(): void {
    const [day, monotonic, up] = [this.#times.day(), this.#times.monotonic(), this.#times.up()];
    const awake = monotonic - this.#last.monotonic;
    const asleep = up - this.#last.up - awake;
    // `up` has steps of 10 ms. Without this check, time would go back by as much when the clock is right again.
    const expected = this.#last.day + awake + (Math.abs(asleep) > SLEPT_MS ? asleep : 0);
    const off_ms = Math.round(day - expected);
    if (Math.abs(off_ms) <= SMALL_MS) {
      this.#elsewhere_since = null;
      this.#last = { day, monotonic, up };
      return;
    }
    if (this.#elsewhere_since === null) {
      this.#elsewhere_since = monotonic;
      this.#logger.warn({ event: 'clock_moved', by_ms: off_ms, followed: false });
    }
    const believed = monotonic - this.#elsewhere_since >= BELIEVED_AFTER_MS;
    if (believed) {
      this.#elsewhere_since = null;
      this.#logger.warn({ event: 'clock_moved', by_ms: off_ms, followed: true });
    }
    this.#last = { day: believed ? day : expected, monotonic, up };
  }
}
