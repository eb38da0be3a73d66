import { type Clock, nextTurn } from '@svc/contracts';

/** How long work may hold the event loop at a time. */
const TURN_MS = 5;

/** Shares the event loop over long work, in slices of time. */
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
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
