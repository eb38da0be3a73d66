import { uptime } from 'node:os';
import type { Clock, Logger } from '@svc/contracts';

/** How often the machine's clock is looked at. Between looks time goes by the monotonic clock, which nobody can set. */
const LOOK_EVERY_MS = 1000;
/** Corrections up to here are followed at once: what a time server does to a clock that is a little off. */
const SMALL_MS = 5000;
/** What `up` is ahead of `monotonic` after the machine slept; less is how finely they are read. */
const SLEPT_MS = 1000;
/** A clock that was set otherwise for so long is believed. */
const BELIEVED_AFTER_MS = 10 * 60_000;

/** What a look reads, in milliseconds. `up` goes on while the machine sleeps, `monotonic` may not. */
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
 * The machine's time of day without its sudden jumps. A clock that is set by a year, wrongly and for a while, would deny all runs that wait
 * for an approver, open new periods of every budget and forget the old ones. A machine that slept is no jump. On macOS `up` follows the
 * clock that is set, so jumps cannot be told from sleep there and are followed.
 */
export class CorrectedClock implements Clock {
  /** Every run asks for it many times. */
  readonly monotonic: () => number;
  readonly #times: MachineTimes;
  readonly #logger: Logger;
  /** What was believed last. */
  #last: Look;
  /** Since when (monotonic) the machine's clock has been elsewhere. */
  #elsewhere_since: number | null = null;

  constructor(logger: Logger, times: MachineTimes = machineTimes) {
    this.#logger = logger;
    this.#times = times;
    this.monotonic = times.monotonic;
    this.#last = { day: times.day(), monotonic: times.monotonic(), up: times.up() };
  }

  now(): number {
    const since = this.#times.monotonic() - this.#last.monotonic;
    if (since >= LOOK_EVERY_MS) this.#look();
    return Math.floor(this.#last.day + this.#times.monotonic() - this.#last.monotonic);
  }

  #look(): void {
    const [day, monotonic, up] = [this.#times.day(), this.#times.monotonic(), this.#times.up()];
    const awake = monotonic - this.#last.monotonic;
    const asleep = up - this.#last.up - awake;
    // `up` comes in steps of 10 ms: by as much time would go back when the clock is right again.
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
