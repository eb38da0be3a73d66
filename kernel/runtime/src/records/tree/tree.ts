import type { Store } from '@svc/contracts';
import {
  base64Of,
  type Hash,
  hashesInTile,
  hashFromText,
  type Range,
  rangeHash,
  rootOfTiles,
  TILE_WIDTH,
  type Tile,
  TileEdge,
  tileBytes,
} from '@svc/ledger';

/** Where the tree is stored: in named values beside the ledger, written by compare-and-set. */
export type TreeStore = Pick<Store, 'readMeta' | 'writeMeta'>;

/** Prefix of the names of the tree's values. */
export const TREE_KEYS = 'tree/';
const FRONTIER = `${TREE_KEYS}frontier`;

function tileKey(level: number, index: number): string {
  return `${TREE_KEYS}tile/${level}/${index}`;
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
  readonly #edge: TileEdge;
  /** The frontier as last written or read. */
  #frontier: string | null;

  private constructor(store: TreeStore, frontier: string | null, edge: TileEdge) {
    this.#store = store;
    this.#frontier = frontier;
    this.#edge = edge;
  }

  /** Loads the stored tree, up to its last full tile. */
  static async load(store: TreeStore): Promise<Tree> {
    const text = await store.readMeta(FRONTIER);
    if (text === null) return new Tree(store, null, new TileEdge());
    const { tiles, edges }: Frontier = JSON.parse(text);
    const levels = edges.map((level) => level.map(hashFromText));
    return new Tree(store, text, new TileEdge(tiles * TILE_WIDTH, [[], ...levels]));
  }

  /** Number of leaves. */
  get size(): number {
    return this.#edge.size;
  }

  /** @throws {TreeOutdated} */
  async append(leaves: readonly Hash[]): Promise<void> {
    for (const leaf of leaves) {
      const full = this.#edge.append(leaf);
      if (full.length > 0) await this.#save(full);
    }
  }

  /** Root of the first `size` leaves. */
  root(size: number = this.size): Promise<Hash> {
    return rootOfTiles(size, this.tile);
  }

  /** Hash of a part of the tree, which is split as in RFC 6962. */
  rangeHash(range: Range): Promise<Hash> {
    return rangeHash(range, this.tile);
  }

  /** The hashes of a tile; of the last one of a level, those that it has. */
  readonly tile = async (level: number, index: number): Promise<readonly Hash[]> => {
    const partial = this.#edge.partial(level, index);
    if (partial !== null) return partial;
    const text = await this.#store.readMeta(tileKey(level, index));
    const hashes = text === null ? null : hashesInTile(Buffer.from(text, 'base64'));
    if (hashes?.length !== TILE_WIDTH) throw new Error(`tile ${index} at level ${level} of the tree is missing or damaged`);
    return hashes;
  };

  async #save(full: readonly Tile[]): Promise<void> {
    for (const { level, index, hashes } of full) {
      // If another process has written this tile, its tile is the same, because tiles are computed from the ledger.
      await this.#store.writeMeta(tileKey(level, index), null, base64Of(tileBytes(hashes)));
    }
    const [, ...upper] = this.#edge.levels;
    const edges = upper.map((level) => level.map(base64Of));
    const frontier: Frontier = { tiles: Math.floor(this.size / TILE_WIDTH), edges };
    const text = JSON.stringify(frontier);
    if (!(await this.#store.writeMeta(FRONTIER, this.#frontier, text))) throw new TreeOutdated();
    this.#frontier = text;
  }
}
