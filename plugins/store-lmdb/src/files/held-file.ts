import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from './system-code.ts';

/**
 * The data file that LMDB has open, by a descriptor of our own. LMDB goes on writing to a file that was removed or whose folder was
 * exchanged, and reports success; comparing this descriptor with the path shows it.
 */
export class HeldFile {
  readonly #path: string;
  readonly #fd: number;
  /** The largest seen: LMDB never makes the file smaller. */
  #size = 0;

  constructor(folder: string, access: 'read' | 'write') {
    this.#path = join(folder, 'data.mdb');
    // Without O_CREAT. Appending, so that no write can fall on a page of LMDB's.
    this.#fd = openSync(this.#path, access === 'read' ? constants.O_RDONLY : constants.O_WRONLY | constants.O_APPEND);
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /**
   * Whether the path still leads to this file, and nobody made it smaller: a read behind its end would end the process (SIGBUS). About
   * 1 µs.
   */
  isInPlace(): boolean {
    const held = fstatSync(this.#fd);
    if (held.size < this.#size) return false;
    this.#size = held.size;
    try {
      const found = statSync(this.#path);
      return held.nlink > 0 && found.ino === held.ino && found.dev === held.dev;
    } catch (error) {
      if (systemCode(error) !== null) return false;
      throw error;
    }
  }

  /** @returns how many bytes were written, which a full disk makes fewer */
  append(bytes: Uint8Array): number {
    return writeSync(this.#fd, bytes);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
