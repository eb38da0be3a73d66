import type { ByteReservation } from '@svc/kernel/admission';

/** Counts an attempt's answer in its run's reservation: the bytes that the provider buffers, and those that the kernel has collected. */
export class AnswerBytes {
  readonly #run: ByteReservation;
  readonly #giveUp: () => void;
  #buffered = 0;
  /** Bytes that were reserved before the answer arrived. */
  #expected = 0;
  #gathered = 0;
  #open = true;
  /** Calls of the provider that have not settled. */
  #working = 0;
  /** Bytes to release when no call is active. */
  #owed = 0;
  /** Whether the answer was abandoned because it did not fit. `beside others`: a retry may succeed. `alone`: it can never fit. */
  exceeded: false | 'beside others' | 'alone' = false;

  /** @param giveUp ends the call; called once, when the answer does not fit */
  constructor(run: ByteReservation, giveUp: () => void) {
    this.#run = run;
    this.#giveUp = giveUp;
  }

  /**
   * Reserves room for an answer before the model is called, so that a paid answer is not abandoned.
   * @returns null if there is room, otherwise why there is none
   */
  expect(bytes: number): null | 'beside others' | 'alone' {
    if (!this.#run.grow('answer', bytes)) return this.#run.fitsAlone('answer', bytes) ? 'beside others' : 'alone';
    this.#expected = bytes;
    this.#buffered = bytes;
    return null;
  }

  /** For `CallContext.onBuffered`. The value comes from a plugin, so it is checked. */
  readonly buffered = (bytes: number): void => {
    if (!Number.isSafeInteger(bytes) || bytes < 0) return;
    const held = Math.max(bytes, this.#expected);
    if (this.#take(held - this.#buffered)) this.#buffered = held;
  };

  gathered(bytes: number): void {
    if (this.#take(bytes)) this.#gathered += bytes;
  }

  /** Holds the bytes while the provider works. A provider may continue for a while after a cancellation, and its buffer still takes memory. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#working += 1;
    this.#run.hold();
    const done = (): void => {
      this.#run.release();
      this.#working -= 1;
      if (this.#working === 0) this.#giveBack();
    };
    // A third-party provider may return something other than a promise.
    const answer = Promise.resolve(work);
    answer.then(done, done);
    return answer;
  }

  /** The call is over. The run keeps everything, the collected part, or nothing. */
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
