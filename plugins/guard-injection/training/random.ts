/** Pseudo-random numbers, the same in every run (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let hash = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash;
    return ((hash ^ (hash >>> 14)) >>> 0) / 4294967296;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  shuffle<T>(items: T[]): T[] {
    for (let at = items.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      const [one, two] = [items[at], items[other]];
      if (one !== undefined && two !== undefined) [items[at], items[other]] = [two, one];
    }
    return items;
  }
}
