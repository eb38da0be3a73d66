import { sha256Binary } from '#digest';
import { binaryOf, bytesOf, write } from './bytes.ts';
import { EMPTY_ROOT, type Hash } from './merkle.ts';
import { leafBinary } from './record-leaf.ts';

const HASH_BYTES = 32;

/** Computes the root of an RFC 6962 tree incrementally. Keeps one hash for each one bit of the number of leaves. */
export class TreeHash {
  /** Roots of full subtrees, largest first. They are binary strings, which are four times faster here than buffers. */
  readonly #roots: string[];
  #size: number;
  readonly #node = new Uint8Array(1 + 2 * HASH_BYTES).fill(1);

  /** @param start a tree that already has leaves: their number, and the roots of its full subtrees, largest first. Default: an empty tree */
  constructor({ size, roots }: { readonly size: number; readonly roots: readonly Hash[] } = { size: 0, roots: [] }) {
    this.#size = size;
    this.#roots = roots.map(binaryOf);
  }

  get size(): number {
    return this.#size;
  }

  /** @param recordHash `sha256:` and 64 hex characters */
  append(recordHash: string): void {
    let root = leafBinary(recordHash);
    // Merges one subtree for each trailing one bit of the previous number of leaves.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) root = this.#join(this.#roots.pop() ?? '', root);
    this.#roots.push(root);
    this.#size += 1;
  }

  /** Root of all leaves so far. */
  root(): Hash {
    const [last, ...larger] = this.#roots.toReversed();
    if (last === undefined) return EMPTY_ROOT;
    return bytesOf(larger.reduce((right, left) => this.#join(left, right), last));
  }

  #join(left: string, right: string): string {
    write(left, this.#node, 1);
    write(right, this.#node, 1 + HASH_BYTES);
    return sha256Binary(this.#node);
  }
}
