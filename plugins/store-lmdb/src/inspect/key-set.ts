import { hash } from 'node:crypto';

const BYTES = 6;

/** Compares two sets of keys without holding them: by their number and the sum of their hashes. */
export class KeySet {
  #count = 0;
  #sum = 0;

  add(key: Buffer): void {
    this.#count += 1;
    this.#sum = (this.#sum + hash('sha256', key, 'buffer').readUIntBE(0, BYTES)) % 2 ** (8 * BYTES);
  }

  equals(other: KeySet): boolean {
    return this.#count === other.#count && this.#sum === other.#sum;
  }
}
