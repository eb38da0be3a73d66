import type { Clock } from '../contracts/index.ts';

/** `timeout`: the time for waiting is used up; `aborted`: the run was given up. */
export class Impatient extends Error {
  readonly why: 'timeout' | 'aborted';
  constructor(why: 'timeout' | 'aborted') {
    super(why);
    this.why = why;
  }
}

/** Waits again and again for the same other side, but not longer than a time in all, and not after the signal. */
export class Patience {
  readonly #clock: Clock;
  readonly #limit_ms: number;
  readonly #abort: AbortSignal;
  /** Milliseconds waited so far. */
  waited_ms = 0;

  constructor(clock: Clock, limit_ms: number, abort: AbortSignal) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
    this.#abort = abort;
  }

  /** Settles as the promise does. @throws {Impatient} */
  async wait<T>(other: Promise<T>): Promise<T> {
    const began = this.#clock.monotonic();
    const { promise: waited, resolve, reject } = Promise.withResolvers<T>();
    const stop = (): void => reject(new Impatient('aborted'));
    const timer = setTimeout(() => reject(new Impatient('timeout')), this.#limit_ms - this.waited_ms);
    this.#abort.addEventListener('abort', stop, { once: true });
    if (this.#abort.aborted) stop();
    other.then(resolve, reject);
    try {
      return await waited;
    } finally {
      clearTimeout(timer);
      this.#abort.removeEventListener('abort', stop);
      this.waited_ms += this.#clock.monotonic() - began;
    }
  }
}
