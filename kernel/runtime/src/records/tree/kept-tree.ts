import { hash } from 'node:crypto';
import { type Hash, TILE_WIDTH } from '@svc/ledger';
import { TREE_KEYS, Tree } from './tree.ts';

const digestOf = (text: string): string => hash('sha256', text, 'base64');

/** Compares the stored tree over a ledger with the tree over the records that were read. */
export class KeptTree {
  readonly #grown: Promise<Tree>;
  /** Digests of every version of each value that the tree has written. A store may have an earlier version. */
  readonly #written = new Map<string, Set<string>>();
  #leaves: Hash[] = [];

  constructor() {
    this.#grown = Tree.load({
      readMeta: async () => null,
      writeMeta: async (key, _, value) => {
        const digests = this.#written.get(key) ?? new Set();
        this.#written.set(key, digests.add(digestOf(value)));
        return true;
      },
    });
  }

  async add(leaf: Hash): Promise<void> {
    this.#leaves.push(leaf);
    if (this.#leaves.length < TILE_WIDTH) return;
    const leaves = this.#leaves;
    this.#leaves = [];
    await (await this.#grown).append(leaves);
  }

  /** Whether a stored value is correct. Call this after all records were added. True for values that are not part of the tree. */
  holds(key: string, value: string): boolean {
    return !key.startsWith(TREE_KEYS) || this.#written.get(key)?.has(digestOf(value)) === true;
  }
}
