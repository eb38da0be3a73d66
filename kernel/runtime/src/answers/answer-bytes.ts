import type { ByteReservation } from '@svc/kernel/admission';

/** The bytes of one attempt's answer, on its run's reservation: what its provider holds, and what the kernel gathered of it. */
export class AnswerBytes {
  readonly #run: ByteReservation;
  readonly #giveUp: () => void;
  #buffered = 0;
  /** What was taken for it before it came. */
  #expected = 0;
  #gathered = 0;
  #open = true;
  /** Calls of the provider that have not settled. */
  #working = 0;
  /** What is to be given back once none works any more. */
  #owed = 0;
  /** Whether the answer did not fit and was given up: beside others, or `alone`, so that it never will. */
  exceeded: false | 'beside others' | 'alone' = false;

  /** @param giveUp ends the call; called once, when its answer does not fit */
  constructor(run: ByteReservation, giveUp: () => void) {
    this.#run = run;
    this.#giveUp = giveUp;
  }

  /**
   * Takes room for an answer before its model is asked. What comes of it is not given up then: it was paid for.
   * @returns why there is none
   */
  expect(bytes: number): null | 'beside others' | 'alone' {
    if (!this.#run.grow('answer', bytes)) return this.#run.fitsAlone('answer', bytes) ? 'beside others' : 'alone';
    this.#expected = bytes;
    this.#buffered = bytes;
    return null;
  }

  /** For `CallContext.onBuffered`. What a plugin says is looked at. */
  readonly buffered = (bytes: number): void => {
    if (!Number.isSafeInteger(bytes) || bytes < 0) return;
    const held = Math.max(bytes, this.#expected);
    if (this.#take(held - this.#buffered)) this.#buffered = held;
  };

  gathered(bytes: number): void {
    if (this.#take(bytes)) this.#gathered += bytes;
  }

  /** The provider works on it. Given up, it may go on for a while and holds what it has. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#working += 1;
    this.#run.hold();
    const done = (): void => {
      this.#run.release();
      this.#working -= 1;
      if (this.#working === 0) this.#giveBack();
    };
    // A provider from outside may give something else.
    const answer = Promise.resolve(work);
    answer.then(done, done);
    return answer;
  }

  /** The call is over, and of its answer the run keeps what was gathered, or nothing. */
  end(keeps: 'all' | 'gathered' | 'nothing'): void {
    this.#open = false;
    if (keeps !== 'all') this.#owed += this.#buffered;
    if (keeps === 'nothing') this.#owed += this.#gathered;
    if (this.#working === 0) this.#giveBack();
  }

  #giveBack(): void {
    if (this.#owed > 0) this.#run.add(-this.#owed);
    this.#owed = 0;
  }

  #take(bytes: number): boolean {
    if (!this.#open || this.exceeded !== false) return false;
    if (bytes <= 0 || this.#expected > 0) this.#run.add(bytes);
    else if (!this.#run.grow('answer', bytes)) {
      this.exceeded = this.#run.fitsAlone('answer', bytes) ? 'beside others' : 'alone';
      this.#giveUp();
      return false;
    }
    return true;
  }
}
