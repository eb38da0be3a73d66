import type { Clock } from '../contracts/index.ts';

/** `timeout`: the time for waiting is used up; `aborted`: the run was given up. */
export class Impatient extends Error {
  readonly why: 'timeout' | 'aborted';
  constructor(why: 'timeout' | 'aborted') {
    super(why);
    this.why = why;
  }
}

/**
 * Waits again and again for the same other side, but not longer than a time in all, and not after the signal. One timer and one listener
 * serve all of its waiting, so that a stream's chunks need none of their own; `end` lets go of them.
 */
export class Patience {
  readonly #clock: Clock;
  readonly #limit_ms: number;
  readonly #abort: AbortSignal;
  /** Milliseconds waited so far. */
  waited_ms = 0;
  #waiting: Waiting | null = null;
  /** The wait that set the timer; one that came later has a little more time than it. */
  #timed: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  #listens = false;

  constructor(clock: Clock, limit_ms: number, abort: AbortSignal) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
    this.#abort = abort;
  }

  /** Settles as the promise does. Not to be called while another call waits. @throws {Impatient} */
  async wait<T>(other: Promise<T>): Promise<T> {
    const began = this.#clock.monotonic();
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiting = { began, reject };
        this.#listen();
        if (this.#timer === null) this.#time(this.#waiting, this.#limit_ms - this.waited_ms);
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

  #time(waiting: Waiting, left_ms: number): void {
    this.#timed = waiting;
    this.#timer = setTimeout(this.#look, left_ms);
  }

  readonly #look = (): void => {
    this.#timer = null;
    const waiting = this.#waiting;
    if (waiting === null) return;
    const left_ms = this.#limit_ms - this.waited_ms - (this.#clock.monotonic() - waiting.began);
    if (waiting === this.#timed || left_ms <= 0) waiting.reject(new Impatient('timeout'));
    else this.#time(waiting, left_ms);
  };

  readonly #stop = (): void => {
    this.#waiting?.reject(new Impatient('aborted'));
  };
}

interface Waiting {
  readonly began: number;
  readonly reject: (why: Impatient) => void;
}
