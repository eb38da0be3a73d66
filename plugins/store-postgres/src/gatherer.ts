interface Waiting<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches requests that arrive while an earlier batch is processed. Concurrent callers share a transaction, and a lone caller does not wait. */
export class Gatherer<I, O> {
  readonly #most: number;
  readonly #work: (inputs: readonly I[]) => Promise<readonly O[]>;
  #waiting: Waiting<I, O>[] = [];
  #working = false;

  /** @param work returns one output per input, in order; its error is passed to every caller of the batch */
  constructor(most: number, work: (inputs: readonly I[]) => Promise<readonly O[]>) {
    this.#most = most;
    this.#work = work;
  }

  ask(input: I): Promise<O> {
    const answer = new Promise<O>((resolve, reject) => this.#waiting.push({ input, resolve, reject }));
    if (!this.#working) void this.#workAll();
    return answer;
  }

  async #workAll(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#most);
      try {
        const outputs = await this.#work(group.map(({ input }) => input));
        group.forEach(({ resolve, reject }, i) => {
          const output = outputs[i];
          if (output === undefined) reject(new Error('no output for an input'));
          else resolve(output);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#working = false;
  }
}
