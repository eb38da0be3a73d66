import { hash } from 'node:crypto';
import { EMPTY_ROOT, type Hash } from './merkle.ts';

const HASH_BYTES = 32;

/** Incremental root of an RFC 6962 tree. Keeps one hash for each bit of the number of leaves. */
export class TreeHash {
  /** Roots of full subtrees, largest first. Binary strings are four times faster here than buffers. */
  readonly #roots: string[] = [];
  #size = 0;
  /** A byte 0, and the hash of a record in ASCII. */
  readonly #leaf = Buffer.from(`\0sha256:${'0'.repeat(2 * HASH_BYTES)}`);
  readonly #node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

  get size(): number {
    return this.#size;
  }

  /** @param recordHash `sha256:` and 64 hex characters */
  append(recordHash: string): void {
    this.#leaf.write(recordHash, 1, 'latin1');
    let root = hash('sha256', this.#leaf, 'binary');
    // Merges one subtree for each trailing one bit of the previous number of leaves.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) root = this.#join(this.#roots.pop() ?? '', root);
    this.#roots.push(root);
    this.#size += 1;
  }

  /** Root of all leaves so far. */
  root(): Hash {
    const [last, ...larger] = this.#roots.toReversed();
    if (last === undefined) return EMPTY_ROOT;
    return Buffer.from(
      larger.reduce((right, left) => this.#join(left, right), last),
      'latin1',
    );
  }

  #join(left: string, right: string): string {
    this.#node.write(left, 1, 'latin1');
    this.#node.write(right, 1 + HASH_BYTES, 'latin1');
    return hash('sha256', this.#node, 'binary');
  }
}
