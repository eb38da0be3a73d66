import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Checkpoint,
  entriesIn,
  entryBundle,
  type Hash,
  hashesInTile,
  isSameHash,
  leafOf,
  parseCheckpoint,
  parseNote,
  rootOfTiles,
  TILE_WIDTH,
  TileEdge,
  tileBytes,
  widthIn,
} from '@svc/ledger/chain';
import { replaceFile } from '../store/replace-file.ts';
import { readOrNull, TileDiffers, TileFiles } from './tile-files.ts';

const CHECKPOINT = 'checkpoint';
/** For files that a web server may read. */
const READABLE = 0o644;

/**
 * A log as a folder of static files, https://c2sp.org/tlog-tiles: checkpoint, tiles and bundles of entries. Any web server can serve it. It grows by
 * hashes of records. Only a checkpoint whose tree is the tree of the folder is published.
 */
export class TileFolder {
  readonly #files: TileFiles;
  readonly #edge: TileEdge;
  /** Hashes of the records that do not fill a bundle yet. */
  #entries: string[];

  private constructor(files: TileFiles, edge: TileEdge, entries: string[]) {
    this.#files = files;
    this.#edge = edge;
    this.#entries = entries;
  }

  /** The published checkpoint and its note. Null: there is none. @throws {MalformedNote} if the file is not a checkpoint */
  static async published(folder: string): Promise<(Checkpoint & { readonly note: string }) | null> {
    const note = (await readOrNull(join(folder, CHECKPOINT)))?.toString();
    return note === undefined ? null : { ...parseCheckpoint(parseNote(note).text), note };
  }

  /**
   * Continues a folder, which is created if missing.
   * @param size number of records that are in the folder; files beyond them are ignored until they are reached
   * @throws {TileDiffers} if the folder does not have these records
   */
  static async open(folder: string, size: number): Promise<TileFolder> {
    await mkdir(folder, { recursive: true });
    const files = new TileFiles(folder);
    const levels: Hash[][] = [];
    for (let level = 0, hashes = size; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
      const place = { level, index: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH };
      levels.push(place.width === 0 ? [] : partOf(files, place, hashesInTile((await files.read(place)) ?? new Uint8Array())));
    }
    const rest = { level: 'entries' as const, index: Math.floor(size / TILE_WIDTH), width: size % TILE_WIDTH };
    const entries = rest.width === 0 ? [] : partOf(files, rest, entriesIn((await files.read(rest)) ?? new Uint8Array()));
    for (const [at, entry] of entries.entries())
      if (!isSameHash(leafOf(entry), levels[0]?.[at] ?? new Uint8Array())) throw files.differs(rest);
    return new TileFolder(files, new TileEdge(size, levels), entries);
  }

  /** Number of records. */
  get size(): number {
    return this.#edge.size;
  }

  /** Adds records. Full tiles are written at once; the rest by {@link flush}. @param hashes each `sha256:` and 64 hex characters */
  async append(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) {
      const full = this.#edge.append(leafOf(hash));
      this.#entries.push(hash);
      if (full.length === 0) continue;
      const index = Math.floor(this.size / TILE_WIDTH) - 1;
      await this.#files.write({ level: 'entries', index, width: TILE_WIDTH }, entryBundle(this.#entries));
      this.#entries = [];
      for (const { level, index, hashes } of full)
        await this.#files.write({ level, index, width: TILE_WIDTH }, tileBytes(hashes));
    }
  }

  /** Writes the partial tiles. Resolves when all records are on disk. */
  async flush(): Promise<void> {
    const index = Math.floor(this.size / TILE_WIDTH);
    if (this.#entries.length > 0)
      await this.#files.write({ level: 'entries', index, width: this.#entries.length }, entryBundle(this.#entries));
    for (const [level, hashes] of this.#edge.levels.entries()) {
      const at = Math.floor(this.size / TILE_WIDTH ** (level + 1));
      if (hashes.length > 0) await this.#files.write({ level, index: at, width: hashes.length }, tileBytes(hashes));
    }
    await this.#files.settle();
  }

  /**
   * Publishes a checkpoint over at most {@link size} records, when its tiles are on disk. Removes partial tiles that the checkpoint does not need.
   * @throws {TileDiffers} if the folder has a different tree; {MalformedNote}
   */
  async publish(note: string): Promise<void> {
    const { origin, size, root } = parseCheckpoint(parseNote(note).text);
    const { folder } = this.#files;
    if (size > this.size) throw new TileDiffers(`${folder} has ${this.size} records, but the checkpoint covers ${size}`);
    if (!isSameHash(await rootOfTiles(size, this.#tile), root))
      throw new TileDiffers(`the checkpoint of "${origin}" does not match the tree in ${folder}: use another folder`);
    const before = await TileFolder.published(folder);
    if (before !== null && before.origin !== origin)
      throw new TileDiffers(
        `${folder} belongs to the log "${before.origin}", but the checkpoint is for "${origin}": use another folder`,
      );
    if (before !== null && before.size > size) return;
    await (size === this.size ? this : await TileFolder.open(folder, size)).flush();
    await replaceFile(join(folder, CHECKPOINT), note, READABLE);
    await this.#removeOld(before?.size ?? 0, size);
  }

  /** Removes partial tiles that are narrower than those of the published size. Wider ones hold records that are not published yet. */
  async #removeOld(before: number, size: number): Promise<void> {
    for (let level = 0, from = before, now = size; now > 0; level += 1) {
      from = Math.floor(from / TILE_WIDTH);
      for (let index = from; index <= Math.floor(now / TILE_WIDTH); index += 1) {
        const width = widthIn(size, level, index);
        await this.#files.removePartials(level, index, width);
        if (level === 0) await this.#files.removePartials('entries', index, width);
      }
      now = Math.floor(now / TILE_WIDTH);
    }
  }

  readonly #tile = async (level: number, index: number): Promise<readonly Hash[]> => {
    const partial = this.#edge.partial(level, index);
    if (partial !== null) return partial;
    const place = { level, index, width: TILE_WIDTH };
    return partOf(this.#files, place, hashesInTile((await this.#files.read(place)) ?? new Uint8Array()));
  };
}

/** The first hashes or entries of a tile. */
function partOf<T>(files: TileFiles, place: Parameters<TileFiles['read']>[0], parts: readonly T[] | null): T[] {
  if (parts === null || parts.length < place.width) throw files.differs(place);
  return parts.slice(0, place.width);
}
