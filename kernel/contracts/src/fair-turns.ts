/** Resumes one waiting task per iteration of the event loop. Principals take turns. */
export class FairTurns {
  /** The waiting tasks of each principal, in the order of turns. After its turn, a principal moves to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;

  /** Resolves when it is this principal's turn. Among the requests of a principal, the first to arrive has the first turn. */
  next(principal_id: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(principal_id);
      if (own === undefined) this.#waiting.set(principal_id, [resolve]);
      else own.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#resumeOne());
  }

  #resumeOne(): void {
    this.#isScheduled = false;
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [principal_id, own] = next;
    this.#waiting.delete(principal_id);
    const resume = own.shift();
    if (own.length > 0) this.#waiting.set(principal_id, own);
    if (this.#waiting.size > 0) this.#schedule();
    resume?.();
  }
}
