import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@svc/kernel/contracts';

/** How long work may hold the event loop at a time. */
const TURN_MS = 5;

/** Ends with the turn of whoever asked last. */
let lastTurn: Promise<void> = Promise.resolve();

/** Shares the event loop over long work. Of all work that waits, one piece is done in each iteration of the loop: fifty do not add up. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began: number;

  constructor(signal?: AbortSignal, clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() }) {
    this.#signal = signal;
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#began >= TURN_MS;
  }

  /** Lets others run. Rejects when the work was given up. */
  async next(): Promise<void> {
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    this.#signal?.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
