import { access, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TILE_WIDTH, type TilePlace, tilePath } from '@svc/ledger/chain';
import { replaceUnsynced, syncFolder } from '../store/replace-file.ts';

/** A tile in the folder differs from the log: the folder belongs to another log, or was changed. */
export class TileDiffers extends Error {
  override readonly name = 'TileDiffers';
}

/** Files below the prefix of a tiled log. A tile is written once. */
export class TileFiles {
  readonly folder: string;
  /** Folders with new files whose names may be lost in a crash. */
  readonly #unsynced = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  async write(place: TilePlace, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, tilePath(place));
    const before = await readOrNull(path);
    if (before !== null && !before.equals(bytes)) throw this.differs(place);
    if (before !== null) return;
    await this.#makeFolder(dirname(path));
    await replaceUnsynced(path, bytes);
  }

  /** The content of a tile with at least this width: the complete tile, or the narrowest stored form. Null: there is none. */
  async read({ level, index, width }: TilePlace): Promise<Buffer | null> {
    const full = await readOrNull(join(this.folder, tilePath({ level, index, width: TILE_WIDTH })));
    if (full !== null || width === TILE_WIDTH) return full;
    const widths = (await this.#widths(level, index)).filter((there) => there >= width);
    return widths.length === 0 ? null : readOrNull(join(this.folder, tilePath({ level, index, width: Math.min(...widths) })));
  }

  /** Removes the partial forms of a tile that are narrower than `width`. */
  async removePartials(level: TilePlace['level'], index: number, width: number): Promise<void> {
    const widths = await this.#widths(level, index);
    if (widths.length > 0 && widths.every((there) => there < width)) return rm(this.#partials(level, index), { recursive: true });
    for (const old of widths.filter((there) => there < width))
      await rm(join(this.folder, tilePath({ level, index, width: old })));
  }

  /** Resolves when every name that was created is on disk. */
  async settle(): Promise<void> {
    for (const folder of this.#unsynced) await syncFolder(folder);
    this.#unsynced.clear();
  }

  differs(place: TilePlace): TileDiffers {
    return new TileDiffers(
      `${join(this.folder, tilePath(place))} differs from the log: use another folder, or move this one away`,
    );
  }

  async #widths(level: TilePlace['level'], index: number): Promise<number[]> {
    const names = await orNull(readdir(this.#partials(level, index)));
    return (names ?? []).map(Number).filter((width) => width > 0 && width < TILE_WIDTH);
  }

  #partials(level: TilePlace['level'], index: number): string {
    return dirname(join(this.folder, tilePath({ level, index, width: 1 })));
  }

  async #makeFolder(folder: string): Promise<void> {
    // A folder that has disappeared, like that of a volume, must not be created anew in its place.
    await access(this.folder);
    const first = await mkdir(folder, { recursive: true });
    this.#unsynced.add(folder);
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) this.#unsynced.add(dirname(made));
  }
}

/** Null if there is no such file. */
export async function readOrNull(path: string): Promise<Buffer | null> {
  return orNull(readFile(path));
}

async function orNull<T>(read: Promise<T>): Promise<T | null> {
  return read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
