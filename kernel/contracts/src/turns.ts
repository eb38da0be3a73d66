import type { GuardContext } from './guard.ts';
import { nextTurn } from './next-turn.ts';
import type { Clock } from './runtime.ts';

/** How long work may block the event loop. */
const TURN_MS = 5;

/** The principal that the work is for, and the signal that aborts it. */
type Work = Partial<Pick<GuardContext, 'signal' | 'principal_id'>>;

/** Divides long work into slices, so that the event loop stays responsive. */
export class Turns {
  readonly #work: Work | undefined;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began: number;

  /** @param work a guard's context, or part of it. Its signal is read only after a turn, so work that takes a single turn never reads it */
  constructor(work?: Work, clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() }) {
    this.#work = work;
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#began >= TURN_MS;
  }

  /** Lets other work run. Rejects if the work was aborted. */
  async next(): Promise<void> {
    await nextTurn(this.#work?.principal_id);
    this.#work?.signal?.throwIfAborted();
    this.#began = this.#clock.monotonic();
  }
}
