import { closeSync, fstatSync, openSync, statSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemCode } from './system-code.ts';

/**
 * A file of the folder, by a descriptor of our own. LMDB goes on writing to a file that was removed or whose folder was exchanged, and reports
 * success; comparing this descriptor with the path shows it.
 */
export class HeldFile {
  readonly #path: string;
  readonly #fd: number;
  /** The largest seen: nobody makes the file smaller. */
  #size = 0;

  /** @param flags as for open(2) */
  constructor(path: string, flags: number) {
    this.#path = path;
    this.#fd = openSync(this.#path, flags, 0o600);
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

  /** All of it, or it rejects with the system's error. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await promisify(write)(this.#fd, bytes, at, bytes.length - at, position + at);
      at += bytesWritten;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
