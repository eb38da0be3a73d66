import type { DataPages } from './data-pages.ts';
import type { Node, Page, Tree } from './page-format.ts';

/** Keys from one (null: from the first) to before another (null: to the last). */
export interface KeyRange {
  readonly from: Buffer | null;
  readonly to: Buffer | null;
}

export interface TreeVisitor {
  entry(key: Buffer, value: Buffer, is_tree: boolean): void;
  /** The values of these keys cannot be read. */
  damaged(range: KeyRange): void;
}

const INTEGER_KEYS = 0x08;
const ALL: KeyRange = { from: null, to: null };

function compareIntegers(a: Buffer, b: Buffer): number {
  return Number(a.readBigUInt64LE() - b.readBigUInt64LE());
}

/** Visits the entries of a tree in order, and skips damaged pages. */
export function walkTree(pages: DataPages, tree: Tree, visitor: TreeVisitor): void {
  new TreeWalk(pages, tree, visitor).run();
}

/** Checks the pages that lead to the last entry, and its neighbours. @returns whether they can be read */
export function hasWholeEdge(pages: DataPages, { root, depth }: Tree): boolean {
  for (let number = root, level = depth; number !== null; level -= 1) {
    const page = pages.page(number);
    if (page === null || (page.kind === 'leaf') !== (level === 1)) return false;
    number = level === 1 ? null : (page.nodes.at(-1)?.child ?? 0);
  }
  return true;
}

class TreeWalk {
  readonly #pages: DataPages;
  readonly #tree: Tree;
  readonly #visitor: TreeVisitor;
  readonly #compare: (a: Buffer, b: Buffer) => number;
  readonly #met = { branch: 0, leaf: 0, overflow: 0, entries: 0 };
  #isDamaged = false;

  constructor(pages: DataPages, tree: Tree, visitor: TreeVisitor) {
    this.#pages = pages;
    this.#tree = tree;
    this.#visitor = visitor;
    this.#compare = (tree.flags & INTEGER_KEYS) !== 0 ? compareIntegers : Buffer.compare;
  }

  run(): void {
    const { root, depth, branch_pages, leaf_pages, overflow_pages, entries } = this.#tree;
    if (root !== null) this.#subtree(root, depth, ALL);
    const { branch, leaf, overflow, entries: met } = this.#met;
    const isAll = branch === branch_pages && leaf === leaf_pages && overflow === overflow_pages && met === entries;
    // An older version of a page is valid, too.
    if (!isAll && !this.#isDamaged) this.#damaged(ALL);
  }

  #damaged(range: KeyRange): void {
    this.#isDamaged = true;
    this.#visitor.damaged(range);
  }

  #subtree(number: number, depth: number, range: KeyRange): void {
    const page = this.#pages.page(number);
    if (page === null || (page.kind === 'leaf') !== (depth === 1) || !this.#isOrdered(page, range)) {
      this.#damaged(range);
      return;
    }
    this.#met[page.kind] += 1;
    for (const [i, node] of page.nodes.entries()) {
      const to = page.nodes[i + 1]?.key ?? range.to;
      if (page.kind === 'leaf') this.#entry(node, { from: node.key, to });
      // The first key of a branch stands for all keys before the second.
      else this.#subtree(node.child, depth - 1, { from: i === 0 ? range.from : node.key, to });
    }
  }

  #isOrdered({ kind, nodes }: Page, { from, to }: KeyRange): boolean {
    const keys = nodes.slice(kind === 'branch' ? 1 : 0).map(({ key }) => key);
    const all = [...(from === null ? [] : [from]), ...keys];
    // LMDB compares keys of this kind as 8 bytes.
    if (this.#compare === compareIntegers && keys.some((key) => key.length !== 8)) return false;
    const isRising = all.every((key, i) => {
      const next = all[i + 1] ?? to;
      // A page may begin with the key of its entry in the branch.
      return next === null || this.#compare(key, next) < (i === 0 && from !== null ? 1 : 0);
    });
    return isRising && nodes.length > (kind === 'branch' ? 1 : 0);
  }

  #entry({ key, value, is_tree }: Node, range: KeyRange): void {
    this.#met.entries += 1;
    const bytes = Buffer.isBuffer(value) ? value : this.#pages.bigValue(value);
    if (!Buffer.isBuffer(value)) this.#met.overflow += value.pages;
    if (bytes === null) this.#damaged(range);
    else this.#visitor.entry(key, bytes, is_tree);
  }
}
