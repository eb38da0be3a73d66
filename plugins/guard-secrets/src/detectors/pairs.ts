const BITS = 7;
const MASK = 127;

/** Finds where one of many words may begin, by two of their characters, with one look-up for each character of the text. */
export class Pairs {
  /** By the last seven bits of both codes, so two characters may be taken for others, but never missed. */
  readonly #known = new Uint8Array(1 << (2 * BITS));

  /** The pairs, of two UTF-16 code units each. */
  constructor(pairs: Iterable<string>) {
    for (const pair of pairs) this.#known[keyOf(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;
  }

  /** The next place at `from` or later where a pair may be. -1 if there is none. */
  next(text: string, from: number): number {
    const known = this.#known;
    let first = text.charCodeAt(from);
    for (let at = from + 1; at < text.length; at++) {
      const second = text.charCodeAt(at);
      if (known[keyOf(first, second)] === 1) return at - 1;
      first = second;
    }
    return -1;
  }

  /** Whether a pair may be here. */
  isAt(text: string, at: number): boolean {
    return this.#known[keyOf(text.charCodeAt(at), text.charCodeAt(at + 1))] === 1;
  }
}

function keyOf(first: number, second: number): number {
  return ((first & MASK) << BITS) | (second & MASK);
}
