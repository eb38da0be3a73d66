import { sha256Binary } from '#digest';
import { write } from './bytes.ts';

const FIRST_SLOTS = 1024;
/** 64-bit words per slot. */
const WORDS = 2;
/** First word of an empty slot. */
const EMPTY = 0n;

/**
 * A set of run ids. Of each id it stores 127 bits of a keyed hash, in a table that is between three eighths and three quarters full. Ten million ids
 * take 256 MiB, and half as much again while the table grows. The key is random, so that an attacker cannot choose colliding ids.
 */
export class RunIds {
  #size = 0;
  #table = new BigUint64Array(FIRST_SLOTS * WORDS);
  readonly #key = crypto.getRandomValues(new Uint32Array(4)).join();
  readonly #digest = new Uint8Array(32);
  readonly #words = new BigUint64Array(this.#digest.buffer);

  get size(): number {
    return this.#size;
  }

  /** @param run_id a UUID, in either case. @returns false if it was already present */
  add(run_id: string): boolean {
    write(sha256Binary(this.#key + run_id.toLowerCase()), this.#digest, 0);
    if (!put(this.#table, (this.#words[0] ?? 0n) | 1n, this.#words[1] ?? 0n)) return false;
    this.#size += 1;
    if (this.#size * WORDS * 4 > this.#table.length * 3) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS)
      if (old[at] !== EMPTY) put(this.#table, old[at] ?? EMPTY, old[at + 1] ?? EMPTY);
  }
}

/** @returns false if it was already present */
function put(table: BigUint64Array, first: bigint, second: bigint): boolean {
  let at = Number(second & BigInt(table.length / WORDS - 1)) * WORDS;
  for (; table[at] !== EMPTY; at = (at + WORDS) % table.length) if (table[at] === first && table[at + 1] === second) return false;
  table[at] = first;
  table[at + 1] = second;
  return true;
}
