import type { Clock } from '@svc/contracts';
import { backoffMs } from './backoff.ts';

/** The failures in a row of one receiver, and how long it is left alone after them. */
export class Retries {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failures = 0;
  #not_before = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get isDue(): boolean {
    return this.#not_before <= this.#clock.monotonic();
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** @returns the failures in a row, and the wait until the next attempt */
  failed(): { readonly failures: number; readonly wait_ms: number } {
    this.#failures += 1;
    const wait_ms = Math.round(backoffMs(this.#failures));
    this.#not_before = this.#clock.monotonic() + wait_ms;
    return { failures: this.#failures, wait_ms };
  }
}
