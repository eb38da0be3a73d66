import { randomInt } from 'node:crypto';

const WORDS = 4;
const FIRST_SLOTS = 1024;
/** Odd numbers that spread bits. */
const SPREAD = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** A set of UUIDs in 16 bytes each, in a table that is between three eighths and three quarters full. Ten million take 256 MiB, and half as much again while it grows. */
export class RunIds {
  #size = 0;
  #slots = FIRST_SLOTS;
  /** Four words a slot; all 0: empty. */
  #table = new Uint32Array(FIRST_SLOTS * WORDS);
  #hasNil = false;
  /** So that nobody can choose ids that all fall into one place. */
  readonly #seed = randomInt(2 ** 32);
  readonly #id = new Uint32Array(WORDS);

  get size(): number {
    return this.#size;
  }

  /** @param run_id the ASCII characters of a UUID, in either case. @returns false: it was there already */
  add(run_id: Uint8Array): boolean {
    this.#parse(run_id);
    const added = isNil(this.#id, 0) ? !this.#hasNil : this.#put(this.#id, 0);
    this.#hasNil ||= isNil(this.#id, 0);
    if (!added) return false;
    this.#size += 1;
    if (this.#size * 4 > this.#slots * 3) this.#grow();
    return true;
  }

  has(run_id: Uint8Array): boolean {
    this.#parse(run_id);
    return isNil(this.#id, 0) ? this.#hasNil : this.#isAt(this.#slotOf(this.#id, 0), this.#id, 0);
  }

  #parse(run_id: Uint8Array): void {
    const id = this.#id;
    id.fill(0);
    let digits = 0;
    for (let i = 0; i < run_id.length; i++) {
      const digit = DIGITS[run_id[i] ?? 0] ?? NO_DIGIT;
      if (digit === NO_DIGIT) continue;
      const word = digits >> 3;
      id[word] = ((id[word] ?? 0) << 4) | digit;
      digits += 1;
    }
    if (digits !== DIGITS_OF_ID) throw new TypeError('not a UUID');
  }

  /** The id whose words begin at `from`. @returns false: it was there already */
  #put(words: Uint32Array, from: number): boolean {
    const slot = this.#slotOf(words, from);
    if (this.#isAt(slot, words, from)) return false;
    for (let i = 0; i < WORDS; i++) this.#table[slot * WORDS + i] = words[from + i] ?? 0;
    return true;
  }

  /** Where it is, or would be put. */
  #slotOf(words: Uint32Array, from: number): number {
    let mixed = this.#seed;
    for (let i = 0; i < WORDS; i++) {
      mixed = Math.imul(mixed ^ (words[from + i] ?? 0), SPREAD[i] ?? 1);
      mixed ^= mixed >>> 15;
    }
    let slot = mixed & (this.#slots - 1);
    while (!isNil(this.#table, slot * WORDS) && !this.#isAt(slot, words, from)) slot = (slot + 1) & (this.#slots - 1);
    return slot;
  }

  #isAt(slot: number, words: Uint32Array, from: number): boolean {
    for (let i = 0; i < WORDS; i++) if (this.#table[slot * WORDS + i] !== words[from + i]) return false;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#slots *= 2;
    this.#table = new Uint32Array(this.#slots * WORDS);
    for (let at = 0; at < old.length; at += WORDS) if (!isNil(old, at)) this.#put(old, at);
  }
}

/** An empty slot looks like it too. */
function isNil(words: Uint32Array, at: number): boolean {
  return words[at] === 0 && words[at + 1] === 0 && words[at + 2] === 0 && words[at + 3] === 0;
}

const NO_DIGIT = 255;
const DIGITS_OF_ID = 32;
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});
