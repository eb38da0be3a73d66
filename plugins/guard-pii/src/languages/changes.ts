/** Changes forgotten before their places are reused. */
const UNUSED = 256;

/** What is known about the language of a text: from an offset on, until the next one. Forgets from the left. */
export class Changes {
  #offsets: number[] = [];
  #differences: number[] = [];
  #ends: boolean[] = [];
  #first = 0;

  /**
   * @param difference by how much the likeliest listed language is less likely than the likeliest other one
   * @param endsSentence whether a sentence ends at the offset
   */
  add(offset: number, difference: number, endsSentence: boolean): void {
    if (!endsSentence && this.#differences.at(-1) === difference) return;
    this.#offsets.push(offset);
    this.#differences.push(difference);
    this.#ends.push(endsSentence);
  }

  /** Forgets what does not matter at `offset` or later. */
  forget(offset: number): void {
    while ((this.#offsets[this.#first + 1] ?? Infinity) <= offset) this.#first += 1;
    if (this.#first <= UNUSED || this.#first * 2 < this.#offsets.length) return;
    this.#offsets = this.#offsets.slice(this.#first);
    this.#differences = this.#differences.slice(this.#first);
    this.#ends = this.#ends.slice(this.#first);
    this.#first = 0;
  }

  /**
   * Calls `decide` for the changes that were not forgotten, from left to right, until it returns something. Returns that, or undefined.
   */
  find<T>(decide: (difference: number, offset: number, endsSentence: boolean) => T | undefined): T | undefined {
    for (let at = this.#first; at < this.#offsets.length; at++) {
      const decided = decide(this.#differences[at] ?? 0, this.#offsets[at] ?? 0, this.#ends[at] ?? false);
      if (decided !== undefined) return decided;
    }
    return undefined;
  }
}
