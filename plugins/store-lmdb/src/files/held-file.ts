import { closeSync, fstatSync, openSync, type Stats, statSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemCode } from './system-code.ts';

const writeAt = promisify(write);

/**
 * A file of the folder that is held open by its own descriptor. If a file was removed or its folder replaced, LMDB continues to write to it and
 * reports success. Comparing this descriptor with the path detects that.
 */
export class HeldFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #opened: Pick<Stats, 'dev' | 'ino'>;
  /** The largest size so far. The file is never made smaller. */
  #size = 0;

  /** @param flags as for open(2) */
  constructor(path: string, flags: number) {
    this.#path = path;
    this.#fd = openSync(this.#path, flags, 0o600);
    this.#opened = fstatSync(this.#fd);
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /**
   * Whether the path still leads to this file, and the file was not truncated: a read beyond its end would crash the process (SIGBUS). Takes some
   * microseconds.
   */
  isInPlace(): boolean {
    try {
      const { dev, ino, size } = statSync(this.#path);
      // An inode is not reused while it is open.
      if (ino !== this.#opened.ino || dev !== this.#opened.dev || size < this.#size) return false;
      this.#size = size;
      return true;
    } catch (error) {
      if (systemCode(error) !== null) return false;
      throw error;
    }
  }

  /** @returns how many bytes were written; fewer on a full disk */
  append(bytes: Uint8Array): number {
    return writeSync(this.#fd, bytes);
  }

  /** Writes all bytes, or rejects with the system's error. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await writeAt(this.#fd, bytes, at, bytes.length - at, position + at);
      at += bytesWritten;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
