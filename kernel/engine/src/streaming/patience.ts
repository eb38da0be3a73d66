import type { Clock } from '@svc/contracts';

/** `timeout`: the time for waiting is used up; `aborted`: the run was given up. */
export class TimeoutError extends Error {
  readonly why: 'timeout' | 'aborted';
  constructor(why: 'timeout' | 'aborted') {
    super(why);
    this.why = why;
  }
}

/**
 * Waits again and again for the same other side, but not longer than a time in all, nor than a limit of each wait, and not after the signal.
 * One timer and one listener serve all of its waiting, so that a stream's chunks need none of their own; `end` lets go of them.
 */
export class Patience {
  readonly #clock: Clock;
  readonly #total_ms: number;
  readonly #abort: AbortSignal;
  /** Milliseconds waited so far. */
  waited_ms = 0;
  #waiting: Waiting | null = null;
  /** The wait that set the timer; one that came later mostly has a little more time than it. */
  #timed: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  #listens = false;

  constructor(clock: Clock, total_ms: number, abort: AbortSignal) {
    this.#clock = clock;
    this.#total_ms = total_ms;
    this.#abort = abort;
  }

  /** Settles as the promise does. `limit_ms`: of this wait. Not to be called while another call waits. @throws {TimeoutError} */
  async wait<T>(other: Promise<T>, limit_ms = Number.POSITIVE_INFINITY): Promise<T> {
    const began = this.#clock.monotonic();
    const ends = began + Math.min(limit_ms, this.#total_ms - this.waited_ms);
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiting = { ends, reject };
        this.#listen();
        this.#time(this.#waiting);
        other.then(resolve, reject);
      });
    } finally {
      this.#waiting = null;
      this.waited_ms += this.#clock.monotonic() - began;
    }
  }

  /** Nothing is waited for any more, or not for long. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#abort.removeEventListener('abort', this.#stop);
    this.#listens = false;
  }

  #listen(): void {
    if (this.#abort.aborted) this.#stop();
    else if (!this.#listens) this.#abort.addEventListener('abort', this.#stop, { once: true });
    this.#listens = true;
  }

  /** A timer that is set is kept, unless it comes too late for this wait. */
  #time(waiting: Waiting): void {
    if (this.#timer !== null) {
      if (this.#timed !== null && this.#timed.ends <= waiting.ends) return;
      clearTimeout(this.#timer);
    }
    this.#timed = waiting;
    this.#timer = setTimeout(this.#look, waiting.ends - this.#clock.monotonic());
  }

  readonly #look = (): void => {
    this.#timer = null;
    const waiting = this.#waiting;
    if (waiting === null) return;
    if (waiting === this.#timed || waiting.ends <= this.#clock.monotonic()) waiting.reject(new TimeoutError('timeout'));
    else this.#time(waiting);
  };

  readonly #stop = (): void => {
    this.#waiting?.reject(new TimeoutError('aborted'));
  };
}

interface Waiting {
  /** When it has lasted too long, by the clock. */
  readonly ends: number;
  readonly reject: (why: TimeoutError) => void;
}
