import type { GuardContext } from './guard.ts';
import { nextTurn } from './next-turn.ts';
import type { Clock } from './runtime.ts';

/** How long work may hold the event loop at a time. */
const TURN_MS = 5;

/** Shares the event loop over long work, in slices of time. */
export class Turns {
  readonly #work: Pick<GuardContext, 'signal'> | undefined;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began: number;

  /** @param work has the signal that aborts the work; it is read after each turn, and never by work that takes only one */
  constructor(work?: Pick<GuardContext, 'signal'>, clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() }) {
    this.#work = work;
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#began >= TURN_MS;
  }

  /** Lets others run. Rejects when the work was given up. */
  async next(): Promise<void> {
    await nextTurn();
    this.#work?.signal.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
