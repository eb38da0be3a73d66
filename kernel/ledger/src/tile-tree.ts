import { EMPTY_ROOT, type Hash, nodeHash, type Range, splitOf } from './merkle.ts';
import { TILE_WIDTH } from './tile-path.ts';

/** Number of tree levels in a tile. */
const HEIGHT = 8;

/** A full tile of level L holds the hashes of 256 adjacent subtrees with 256^L leaves each. It never changes. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly hashes: readonly Hash[];
}

/** Returns at least the hashes that the tree had at that time. */
export type ReadTile = (level: number, index: number) => Promise<readonly Hash[]>;

/** The right edge of an RFC 6962 tree: the hashes that do not fill a tile yet, by level. */
export class TileEdge {
  readonly #levels: Hash[][];
  #size: number;

  constructor(size = 0, levels: readonly (readonly Hash[])[] = []) {
    this.#size = size;
    this.#levels = levels.map((level) => [...level]);
  }

  /** Number of leaves of the tree. */
  get size(): number {
    return this.#size;
  }

  /** From level 0 up. */
  get levels(): readonly (readonly Hash[])[] {
    return this.#levels;
  }

  /** Null if the tile is not at the edge: it is full. */
  partial(level: number, index: number): readonly Hash[] | null {
    return index === Math.floor(this.#size / TILE_WIDTH ** (level + 1)) ? (this.#levels[level] ?? []) : null;
  }

  /** Returns the tiles that the leaf fills. */
  append(leaf: Hash): Tile[] {
    this.#size += 1;
    return this.#push(0, leaf);
  }

  #push(level: number, hash: Hash): Tile[] {
    const edge = this.#levels[level] ?? [];
    this.#levels[level] = edge;
    edge.push(hash);
    if (edge.length < TILE_WIDTH) return [];
    this.#levels[level] = [];
    const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1)) - 1;
    return [{ level, index, hashes: edge }, ...this.#push(level + 1, fold(edge))];
  }
}

/** Root of the first `size` leaves. */
export async function rootOfTiles(size: number, readTile: ReadTile): Promise<Hash> {
  return size === 0 ? EMPTY_ROOT : rangeHash({ begin: 0, end: size }, readTile);
}

/** Hash of a part of the tree, which is split as in RFC 6962. */
export async function rangeHash({ begin, end }: Range, readTile: ReadTile): Promise<Hash> {
  const leaves = end - begin;
  const level = Math.log2(leaves);
  if (Number.isInteger(level) && begin % leaves === 0) return subtree(level, begin / leaves, readTile);
  const middle = begin + splitOf(leaves);
  return nodeHash(await rangeHash({ begin, end: middle }, readTile), await rangeHash({ begin: middle, end }, readTile));
}

/** Hash of a subtree of 2^level leaves. */
async function subtree(level: number, index: number, readTile: ReadTile): Promise<Hash> {
  const count = 2 ** (level % HEIGHT);
  const first = index * count;
  const hashes = await readTile(Math.floor(level / HEIGHT), Math.floor(first / TILE_WIDTH));
  const at = first % TILE_WIDTH;
  return fold(hashes.slice(at, at + count));
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
