import type { Clock } from '@svc/contracts';

/** How a wait ended: with the value, or because the time was over or the signal came. */
export type Raced<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/** A time for work, which counts from the start and stands still while it is paused. */
export class TimeoutBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #limit_ms: number;
  #used_ms = 0;
  #since: number;
  #pauses = 0;
  #timer: NodeJS.Timeout | null = null;
  #expire: (() => void) | null = null;

  constructor(clock: Pick<Clock, 'monotonic'>, limit_ms: number) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
    this.#since = clock.monotonic();
  }

  get used_ms(): number {
    return this.#pauses > 0 ? this.#used_ms : this.#used_ms + this.#clock.monotonic() - this.#since;
  }

  get isSpent(): boolean {
    return this.used_ms > this.#limit_ms;
  }

  /** Several pauses may overlap; the time goes on when all are over. */
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

  /** Settles with the promise, or `done: false` when the time is over or the signal aborts. Not to be called while another call waits. */
  race<T>(promise: Promise<T>, abort: AbortSignal): Promise<Raced<T>> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        // A loser that settles late must not end the time of the race after it.
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
      // The loser may still reject; nobody waits for it any more.
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
    // Answers of threads that came while the event loop was held are heard first: they came in time.
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
