/** The word lists of the model, as bits of `Token.lists`. */
export const FIRST_NAME = 1;
export const LAST_NAME = 2;
export const PLACE = 4;
/** An English word in lower case, whether common or rare. */
export const ENGLISH = 8;
/** A common English word. */
export const COMMON = 16;
/** A rare surname. */
export const RARE_NAME = 32;
/** A country, a part of one, or a continent. */
export const REGION = 64;

const LISTS = [FIRST_NAME, LAST_NAME, PLACE, ENGLISH, COMMON, RARE_NAME, REGION] as const;
const PROBES = 5;

/** A Bloom filter over pairs of a word and a list. The rate of false positives is about one percent. */
export class WordLists {
  readonly #bits: Uint8Array;
  readonly #mask: number;

  /** `bits`: the number of bytes must be a power of two. */
  constructor(bits: Uint8Array) {
    this.#bits = bits;
    this.#mask = bits.length * 8 - 1;
  }

  add(word: number, list: number): void {
    let place = mixed(word, list);
    const step = mixed(place, word) | 1;
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = place & this.#mask;
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
      place = (place + step) | 0;
    }
  }

  /** The lists that contain the word, as bits. */
  of(word: number): number {
    let lists = 0;
    for (const list of LISTS) if (this.#has(word, list)) lists |= list;
    return lists;
  }

  #has(word: number, list: number): boolean {
    let place = mixed(word, list);
    let bit = place & this.#mask;
    if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    const step = mixed(place, word) | 1;
    for (let probe = 1; probe < PROBES; probe++) {
      place = (place + step) | 0;
      bit = place & this.#mask;
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

function mixed(value: number, salt: number): number {
  let hash = Math.imul(value ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
