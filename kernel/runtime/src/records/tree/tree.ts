import type { Store } from '@svc/contracts';
import { base64Of, EMPTY_ROOT, type Hash, hashFromText, nodeHash, type Range, splitOf } from '@svc/ledger';

/** Where the tree is stored: in named values beside the ledger, written by compare-and-set. */
export type TreeStore = Pick<Store, 'readMeta' | 'writeMeta'>;

/** Number of levels in a tile. */
const HEIGHT = 8;
export const WIDTH = 2 ** HEIGHT;
/** Prefix of the names of the tree's values. */
export const TREE_KEYS = 'tree/';
const FRONTIER = `${TREE_KEYS}frontier`;

/** A tile of level L holds the hashes of 256 adjacent subtrees with 256^L leaves each. A full tile never changes. */
function tileKey(level: number, index: number): string {
  return `${TREE_KEYS}tile/${level}/${index}`;
}

interface Tile {
  readonly level: number;
  readonly index: number;
  readonly hashes: readonly Hash[];
}

/** The stored right edge: the whole tree except its last leaves, which are fewer than 256. */
interface Frontier {
  /** Number of full tiles of level 0. */
  readonly tiles: number;
  /** From level 1 up: the hashes that do not fill a tile yet, in base64. */
  readonly edges: readonly (readonly string[])[];
}

/** Another process has grown the stored tree in the meantime. The tree must be loaded again. */
export class TreeOutdated extends Error {
  override readonly name = 'TreeOutdated';
}

/** An RFC 6962 tree that grows at its right edge. Its full tiles are stored. */
export class Tree {
  readonly #store: TreeStore;
  /** The hashes at the right edge that do not fill a tile yet, by level. */
  readonly #edges: Hash[][];
  #size: number;
  /** The frontier as last written or read. */
  #frontier: string | null;

  private constructor(store: TreeStore, frontier: string | null, edges: Hash[][], size: number) {
    this.#store = store;
    this.#frontier = frontier;
    this.#edges = edges;
    this.#size = size;
  }

  /** Loads the stored tree, up to its last full tile. */
  static async load(store: TreeStore): Promise<Tree> {
    const text = await store.readMeta(FRONTIER);
    if (text === null) return new Tree(store, null, [[]], 0);
    const { tiles, edges }: Frontier = JSON.parse(text);
    return new Tree(store, text, [[], ...edges.map((level) => level.map(hashFromText))], tiles * WIDTH);
  }

  /** Number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** @throws {TreeOutdated} */
  async append(leaves: readonly Hash[]): Promise<void> {
    for (const leaf of leaves) {
      this.#size += 1;
      const full = this.#push(0, leaf);
      if (full.length > 0) await this.#save(full);
    }
  }

  /** Root of the first `size` leaves. */
  async root(size: number = this.#size): Promise<Hash> {
    return size === 0 ? EMPTY_ROOT : this.rangeHash({ begin: 0, end: size });
  }

  /** Hash of a part of the tree, which is split as in RFC 6962. */
  async rangeHash({ begin, end }: Range): Promise<Hash> {
    const leaves = end - begin;
    const level = Math.log2(leaves);
    if (Number.isInteger(level) && begin % leaves === 0) return this.#subtree(level, begin / leaves);
    const middle = begin + splitOf(leaves);
    return nodeHash(await this.rangeHash({ begin, end: middle }), await this.rangeHash({ begin: middle, end }));
  }

  #push(level: number, hash: Hash): Tile[] {
    const edge = this.#edges[level] ?? [];
    this.#edges[level] = edge;
    edge.push(hash);
    if (edge.length < WIDTH) return [];
    this.#edges[level] = [];
    const index = Math.floor(this.#size / WIDTH ** (level + 1)) - 1;
    return [{ level, index, hashes: edge }, ...this.#push(level + 1, fold(edge))];
  }

  async #save(full: readonly Tile[]): Promise<void> {
    for (const { level, index, hashes } of full) {
      // If another process has written this tile, its tile is the same, because tiles are computed from the ledger.
      await this.#store.writeMeta(tileKey(level, index), null, Buffer.concat(hashes).toString('base64'));
    }
    const [, ...upper] = this.#edges;
    const edges = upper.map((level) => level.map(base64Of));
    const frontier: Frontier = { tiles: Math.floor(this.#size / WIDTH), edges };
    const text = JSON.stringify(frontier);
    if (!(await this.#store.writeMeta(FRONTIER, this.#frontier, text))) throw new TreeOutdated();
    this.#frontier = text;
  }

  /** Hash of a subtree of 2^level leaves. */
  async #subtree(level: number, index: number): Promise<Hash> {
    const tileLevel = Math.floor(level / HEIGHT);
    const count = 2 ** (level % HEIGHT);
    const first = index * count;
    const hashes = await this.#tile(tileLevel, Math.floor(first / WIDTH));
    const at = first % WIDTH;
    return fold(hashes.slice(at, at + count));
  }

  async #tile(level: number, index: number): Promise<readonly Hash[]> {
    if (index === Math.floor(this.#size / WIDTH ** (level + 1))) return this.#edges[level] ?? [];
    const text = await this.#store.readMeta(tileKey(level, index));
    if (text === null) throw new Error(`tile ${index} at level ${level} of the tree is missing`);
    const bytes = Buffer.from(text, 'base64');
    return Array.from({ length: WIDTH }, (_, i) => bytes.subarray(i * EMPTY_ROOT.length, (i + 1) * EMPTY_ROOT.length));
  }
}

/** Root of a full subtree over these hashes. Their number is a power of two. */
function fold(hashes: readonly Hash[]): Hash {
  const [left, right] = hashes;
  if (left === undefined) throw new Error('the tree does not have this part');
  if (right === undefined) return left;
  const parents: Hash[] = [];
  let before: Hash | null = null;
  for (const hash of hashes) {
    if (before !== null) parents.push(nodeHash(before, hash));
    before = before === null ? hash : null;
  }
  return fold(parents);
}
