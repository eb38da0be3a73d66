import { hash } from 'node:crypto';
import type { Hash } from '@svc/ledger';
import { TREE_KEYS, Tree, WIDTH } from './tree.ts';

const digestOf = (text: string): string => hash('sha256', text, 'base64');

/** Compares what a store keeps of the tree over its ledger with the tree over the records that were read. */
export class KeptTree {
  readonly #grown: Promise<Tree>;
  /** Of every value that the tree has written: a store may keep it as it was some records ago. */
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
    if (this.#leaves.length < WIDTH) return;
    const leaves = this.#leaves;
    this.#leaves = [];
    await (await this.#grown).append(leaves);
  }

  /** Whether a value under this key belongs to the tree, once all records were added; true for what is none of it. */
  holds(key: string, value: string): boolean {
    return !key.startsWith(TREE_KEYS) || this.#written.get(key)?.has(digestOf(value)) === true;
  }
}
