import { pick } from '../form.ts';
import type { DiskEntry } from './machine.ts';

/** A disk writes a sector completely or not at all. */
const SECTOR = 512;

/** What may have happened to the writes since the last sync. */
export const FATES = ['all', 'none', 'some_writes', 'some_sectors'] as const;
export type Fate = (typeof FATES)[number];

/** A file on disk, which grows as it is written. */
class Image {
  #bytes = Buffer.alloc(0);
  #size = 0;

  write(offset: number, data: Buffer): void {
    const end = offset + data.length;
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, 2 * this.#bytes.length));
    this.#size = Math.max(this.#size, end);
    data.copy(this.#bytes, offset);
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

/**
 * The file after a power loss that follows these entries. Synced data is there. Of each later write, all, none or any of its sectors are there.
 * `name` seeds the choice.
 */
export function crashImage(entries: readonly DiskEntry[], fate: Fate, name: string): Buffer {
  const synced = entries.findLastIndex(({ kind }) => kind === 'sync');
  const image = new Image();
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === 'sync') continue;
    const { kind, offset, data } = entry;
    const safe = i < synced || kind === 'write+sync' || fate === 'all';
    const kept = (what: string): boolean => pick(`${name} ${i} ${what}`, 2) === 1;
    if (safe || (fate === 'some_writes' && kept('write'))) image.write(offset, data);
    if (safe || fate !== 'some_sectors') continue;
    for (let at = 0; at < data.length; at += SECTOR) {
      if (kept(`sector ${at}`)) image.write(offset + at, data.subarray(at, at + SECTOR));
    }
  }
  return image.bytes;
}
