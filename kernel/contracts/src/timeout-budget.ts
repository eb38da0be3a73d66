import type { Clock } from './runtime.ts';

/** The result of a wait: the value, or `done: false` after a timeout or abort. */
export type Raced<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/** A time budget that starts when it is created. It does not run while it is paused. */
export class TimeoutBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #limit_ms: number;
  #used_ms = 0;
  #since: number;
  #pauses = 0;
  #timer: NodeJS.Timeout | null = null;
  #expire: (() => void) | null = null;

  /** @param since a monotonic time in milliseconds */
  constructor(clock: Pick<Clock, 'monotonic'>, limit_ms: number, since = clock.monotonic()) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
    this.#since = since;
  }

  get used_ms(): number {
    return this.#pauses > 0 ? this.#used_ms : this.#used_ms + this.#clock.monotonic() - this.#since;
  }

  get isSpent(): boolean {
    return this.used_ms > this.#limit_ms;
  }

  /** Pauses may overlap. The time runs again when all of them have ended. */
  pause(): void {
    this.#used_ms = this.used_ms;
    this.#pauses += 1;
    this.#disarm();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    this.#since = this.#clock.monotonic();
    this.#arm();
  }

  /** Settles with the promise, or with `done: false` on timeout or abort. Only one call may wait at a time. */
  race<T>(promise: Promise<T>, abort: AbortSignal): Promise<Raced<T>> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        // The timeout of this race must not end the next one.
        if (this.#expire === end) {
          this.#expire = null;
          this.#disarm();
        }
        abort.removeEventListener('abort', end);
      };
      const end = (): void => {
        stop();
        resolve({ done: false });
      };
      this.#expire = end;
      this.#arm();
      abort.addEventListener('abort', end, { once: true });
      if (abort.aborted) end();
      // If the timeout came first, a later rejection is ignored.
      promise.then(
        (value) => {
          stop();
          resolve({ done: true, value });
        },
        (error: unknown) => {
          stop();
          reject(error);
        },
      );
    });
  }

  #arm(): void {
    if (this.#expire === null || this.#pauses > 0) return;
    // Messages of threads that arrived while the event loop was blocked are handled first: they were in time.
    const look = (): void => {
      setImmediate(() => {
        if (this.#timer === timer) this.#expire?.();
      });
    };
    const timer = setTimeout(look, Math.max(0, this.#limit_ms - this.used_ms));
    this.#timer = timer;
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

const NEVER = new AbortController().signal;
const CLOCK: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() };

export function withTimeout<T>(promise: Promise<T>, timeout_ms: number, abort: AbortSignal = NEVER): Promise<Raced<T>> {
  return new TimeoutBudget(CLOCK, timeout_ms).race(promise, abort);
}
