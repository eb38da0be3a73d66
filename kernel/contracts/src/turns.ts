import type { GuardContext } from './guard.ts';
import { nextTurn } from './next-turn.ts';
import type { Clock } from './runtime.ts';

/** How long work may hold the event loop at a time. */
const TURN_MS = 5;

/** Whose work it is, and the signal that aborts it. */
type Work = Partial<Pick<GuardContext, 'signal' | 'principal_id'>>;

/** Shares the event loop over long work, in slices of time. */
export class Turns {
  readonly #work: Work | undefined;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began: number;

  /** @param work a guard's context, or what there is of it; its signal is read after each turn, and never by work that takes only one */
  constructor(work?: Work, clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() }) {
    this.#work = work;
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#began >= TURN_MS;
  }

  /** Lets others run. Rejects when the work was given up. */
  async next(): Promise<void> {
    await nextTurn(this.#work?.principal_id);
    this.#work?.signal?.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
