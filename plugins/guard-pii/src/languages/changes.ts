/** What is known about the language from an offset on, until the next change. */
export interface Change {
  readonly at: number;
  /** By how much the likeliest listed language is less likely than the likeliest other one. */
  readonly difference: number;
  readonly endsSentence: boolean;
}

/** Changes forgotten before their places are reused. */
const UNUSED = 256;

/** Changes in the order of their offsets. */
export class Changes {
  #all: Change[] = [];
  #first = 0;

  add(change: Change): void {
    this.#all.push(change);
  }

  /** Forgets what does not matter at `at` or later. */
  forget(at: number): void {
    while ((this.#all[this.#first + 1]?.at ?? Infinity) <= at) this.#first += 1;
    if (this.#first <= UNUSED || this.#first * 2 < this.#all.length) return;
    this.#all = this.#all.slice(this.#first);
    this.#first = 0;
  }

  /** The changes that were not forgotten. */
  *[Symbol.iterator](): Iterator<Change> {
    for (let at = this.#first; at < this.#all.length; at++) {
      const change = this.#all[at];
      if (change !== undefined) yield change;
    }
  }
}
