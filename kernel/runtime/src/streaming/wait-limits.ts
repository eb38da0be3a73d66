import type { Clock } from '@svc/contracts';

/** `timeout`: a limit was exceeded; `aborted`: the run was cancelled. */
export class TimeoutError extends Error {
  readonly why: 'timeout' | 'aborted';
  /** Whether the limit for the total time was exceeded. */
  readonly isTotal: boolean;
  constructor(why: 'timeout' | 'aborted', isTotal = false) {
    super(why);
    this.why = why;
    this.isTotal = isTotal;
  }
}

/**
 * Limits repeated waits for the same peer: by a total time, by a limit for each wait, and by a signal. All waits share one timer and one listener, so
 * that the chunks of a stream need none of their own. `end` releases them.
 */
export class WaitLimits {
  readonly #clock: Clock;
  readonly #total_ms: number;
  readonly #abort: AbortSignal;
  /** Milliseconds waited so far. */
  waited_ms = 0;
  /** Milliseconds waited until the last sign of life. */
  #lived_ms = 0;
  #waiting: Waiting | null = null;
  /** When the timer fires. Later waits usually end a little later. */
  #fires = 0;
  #timer: NodeJS.Timeout | null = null;
  #listens = false;

  constructor(clock: Clock, total_ms: number, abort: AbortSignal) {
    this.#clock = clock;
    this.#total_ms = total_ms;
    this.#abort = abort;
  }

  /** Milliseconds waited since the last sign of life. */
  get silent_ms(): number {
    return this.waited_ms - this.#lived_ms;
  }

  /** Reports a sign of life: the current wait may take this much longer from now, within the total. */
  renew(limit_ms: number): void {
    const waiting = this.#waiting;
    const now = this.#clock.monotonic();
    this.#lived_ms = this.waited_ms + (waiting === null ? 0 : now - waiting.began);
    if (waiting !== null) waiting.ends = Math.min(now + limit_ms, waiting.last);
  }

  /** Settles like the promise. `limit_ms`: the limit of this wait. Only one call may wait at a time. @throws {TimeoutError} */
  wait<T>(other: Promise<T>, limit_ms = Number.POSITIVE_INFINITY): Promise<T> {
    const began = this.#clock.monotonic();
    const last = began + this.#total_ms - this.waited_ms;
    return new Promise<T>((resolve, reject) => {
      const over = (): void => {
        this.#waiting = null;
        this.waited_ms += this.#clock.monotonic() - began;
      };
      const waiting: Waiting = {
        began,
        last,
        ends: Math.min(began + limit_ms, last),
        reject: (why) => {
          over();
          reject(why);
        },
      };
      // A promise that settles too late has no effect.
      const settle = (how: () => void): void => {
        if (this.#waiting !== waiting) return;
        over();
        how();
      };
      this.#waiting = waiting;
      this.#listen();
      if (this.#waiting === waiting) this.#time(waiting);
      other.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /** Stops the timer and the listener. */
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

  /** Keeps the current timer, unless it would fire too late for this wait. */
  #time(waiting: Waiting): void {
    if (this.#timer !== null) {
      if (this.#fires <= waiting.ends) return;
      clearTimeout(this.#timer);
    }
    this.#fires = waiting.ends;
    this.#timer = setTimeout(this.#look, waiting.ends - this.#clock.monotonic());
  }

  readonly #look = (): void => {
    this.#timer = null;
    const waiting = this.#waiting;
    if (waiting === null) return;
    const isOver = waiting.ends <= Math.max(this.#fires, this.#clock.monotonic());
    if (isOver) waiting.reject(new TimeoutError('timeout', waiting.ends === waiting.last));
    else this.#time(waiting);
  };

  readonly #stop = (): void => {
    this.#waiting?.reject(new TimeoutError('aborted'));
  };
}

interface Waiting {
  /** Monotonic times: when the wait began, when it exceeds its limit, and when it exceeds the total. */
  readonly began: number;
  ends: number;
  readonly last: number;
  readonly reject: (why: TimeoutError) => void;
}
