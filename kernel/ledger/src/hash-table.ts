import { sha256Binary } from '#digest';
import { write } from './bytes.ts';

const FIRST_SLOTS = 1024;
/** 64-bit words of a key in a slot. A value takes as many. */
const WORDS = 2;
/** First word of an empty slot. */
const EMPTY = 0n;

/**
 * A map of texts to texts, or a set, that can only compare. It stores 127 bits of a keyed hash of each key, and 128 of its value, in a table that is
 * between three eighths and three quarters full. Ten million keys take 256 MiB, with values 512 MiB, and half as much again while the table grows. The
 * key of the hash is random, so that an attacker cannot choose colliding texts.
 */
export class HashTable {
  #size = 0;
  readonly #slot: number;
  #table: BigUint64Array;
  readonly #secret = crypto.getRandomValues(new Uint32Array(4)).join();
  readonly #digest = new Uint8Array(32);
  readonly #words = new BigUint64Array(this.#digest.buffer);

  constructor(kind: 'set' | 'map') {
    this.#slot = kind === 'set' ? WORDS : 2 * WORDS;
    this.#table = new BigUint64Array(FIRST_SLOTS * this.#slot);
  }

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#table[this.#find(key)] !== EMPTY;
  }

  /** Whether the key has this value. */
  maps(key: string, value: string): boolean {
    const at = this.#find(key);
    if (this.#table[at] === EMPTY) return false;
    const [first, second] = this.#hash(value);
    return this.#table[at + WORDS] === first && this.#table[at + WORDS + 1] === second;
  }

  /** Adds a key, or replaces its value. @returns false if the key was already present */
  put(key: string, value?: string): boolean {
    const at = this.#find(key);
    const isNew = this.#table[at] === EMPTY;
    if (isNew) this.#table.set(this.#key(key), at);
    if (value !== undefined) this.#table.set(this.#hash(value), at + WORDS);
    if (!isNew) return false;
    this.#size += 1;
    if (this.#size * this.#slot * 4 > this.#table.length * 3) this.#grow();
    return true;
  }

  #hash(text: string): [bigint, bigint] {
    write(sha256Binary(this.#secret + text), this.#digest, 0);
    return [this.#words[0] ?? 0n, this.#words[1] ?? 0n];
  }

  #key(text: string): [bigint, bigint] {
    const [first, second] = this.#hash(text);
    return [first | 1n, second];
  }

  /** The place of the key, or the empty place where it would be. */
  #find(key: string): number {
    return placeOf(this.#table, this.#slot, this.#key(key));
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    for (let from = 0; from < old.length; from += this.#slot) {
      if (old[from] === EMPTY) continue;
      const to = placeOf(this.#table, this.#slot, [old[from] ?? EMPTY, old[from + 1] ?? EMPTY]);
      this.#table.set(old.subarray(from, from + this.#slot), to);
    }
  }
}

function placeOf(table: BigUint64Array, slot: number, [first, second]: readonly [bigint, bigint]): number {
  let at = Number(second & BigInt(table.length / slot - 1)) * slot;
  while (table[at] !== EMPTY && (table[at] !== first || table[at + 1] !== second)) at = (at + slot) % table.length;
  return at;
}
