/** Compares two sets of keys without holding them in memory: by their number, and by the sums of two hashes of each key. */
export class KeySet {
  #count = 0;
  #first = 0;
  #second = 0;

  add(key: Buffer): void {
    let [first, second] = [0, 0];
    for (const byte of key) {
      first = Math.imul(first ^ byte, 0x01000193);
      second = Math.imul(second + byte, 0x9e3779b1);
    }
    this.#count += 1;
    this.#first = (this.#first + spread(first)) | 0;
    this.#second = (this.#second + spread(second ^ key.length)) | 0;
  }

  equals(other: KeySet): boolean {
    return this.#count === other.#count && this.#first === other.#first && this.#second === other.#second;
  }
}

/** The finalizer of MurmurHash3, which makes the sums of similar keys' hashes differ. */
function spread(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}
