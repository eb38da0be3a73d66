import { constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@svc/sdk/store';
import { syncFolder } from '@svc/toolkit/store';
import type { FreeSpace } from '../files/free-space.ts';
import { HeldFile } from '../files/held-file.ts';
import { systemCode } from '../files/system-code.ts';
import { BLOCK, type Generation, numberFrame } from './frames.ts';

export const LOG_FILE = 'commits.log';

const MAX_BYTES = 4 * 1024 * 1024;
const MIN_BYTES = 64 * 1024;
/** The log takes this fraction of the free-space reserve, within the limits above. */
const RESERVE_PARTS = 16;

/** Null if there is none. */
export function readLog(folder: string): Buffer | null {
  try {
    return readFileSync(join(folder, LOG_FILE));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Commits, one after another, in a file of fixed size. When `data.mdb` has all of them, the file is overwritten from its beginning. A write waits
 * for the disk once: the file is opened with O_DSYNC, and its blocks are written in advance, so that no metadata changes.
 */
export class Log {
  readonly file: HeldFile;
  readonly #capacity: number;
  readonly #id: string;
  #base: number;
  #number: number;
  #position = 0;

  private constructor(file: HeldFile, capacity: number, { id, base }: Generation) {
    this.file = file;
    this.#capacity = capacity;
    this.#id = id;
    this.#base = base;
    this.#number = base;
  }

  /**
   * Opens or creates the log of a folder, to be written from its beginning.
   * @param reserve free space to keep, in bytes; 0: the file grows as it is written
   * @throws {StoreError} `FULL`
   */
  static async open(folder: string, generation: Generation, reserve: number, space: FreeSpace): Promise<Log> {
    const path = join(folder, LOG_FILE);
    const isNew = !existsSync(path);
    const file = new HeldFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC);
    const capacity = reserve === 0 ? MAX_BYTES : Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.floor(reserve / RESERVE_PARTS)));
    try {
      // Never empty: an empty log would look as if its frames were lost.
      const size = reserve === 0 ? BLOCK : capacity;
      const lacking = Math.max(0, size - file.size);
      space.take(lacking);
      await file.write(Buffer.alloc(lacking), file.size);
      if (isNew) await syncFolder(folder);
    } catch (cause) {
      file.close();
      if (systemCode(cause) !== 'ENOSPC') throw cause;
      throw new StoreError('FULL', `the disk of ${folder} has no space for ${LOG_FILE} (${capacity} bytes)`, { cause });
    }
    return new Log(file, capacity, generation);
  }

  /** The number of the newest frame. */
  get number(): number {
    return this.#number;
  }

  /** The generation of the frames after the last `restart`. */
  get next(): Generation {
    return { id: this.#id, base: this.#number };
  }

  /** Whether the frame would fit into an empty log. */
  fits(frame: Buffer): boolean {
    return frame.length <= this.#capacity;
  }

  hasRoom(frame: Buffer): boolean {
    return this.#position + frame.length <= this.#capacity;
  }

  /** Resolves when the frame is on disk. Append one frame at a time. After a failed write, the next frame overwrites the failed one. */
  async append(frame: Buffer): Promise<void> {
    numberFrame(frame, { id: this.#id, base: this.#base }, this.#number + 1);
    await this.file.write(frame, this.#position);
    this.#position += frame.length;
    this.#number += 1;
  }

  /** Continues at the beginning of the file. Call it when `data.mdb` has everything and its log state says so. */
  restart(): void {
    this.#base = this.#number;
    this.#position = 0;
  }
}
