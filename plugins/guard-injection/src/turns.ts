import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@svc/sdk/plugin';

const SLICE_MS = 20;

/** Shares the event loop over a long text; a guard that yields can be stopped at its time limit. */
export class Turns {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #began: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#began = clock.monotonic();
  }

  /** Lets others run when this turn is over. Rejects when the check was given up. */
  async next(): Promise<void> {
    if (this.#clock.monotonic() - this.#began < SLICE_MS) return;
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
