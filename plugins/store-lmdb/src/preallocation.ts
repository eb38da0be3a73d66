import { StoreError } from '@svc/sdk/store';
import type { HeldFile } from './files/held-file.ts';
import { systemCode } from './files/system-code.ts';
import type { Environment } from './tables/databases.ts';

/** Maximum bytes that a write appends in addition to its values: copies of the pages on their paths, and LMDB's list of free pages. */
const PER_WRITE = 128 * 1024;
/** Maximum bytes that a write appends per byte of a small value: its own pages, and its entries in the indexes. */
const PER_BYTE = 4;
/** The file grows by this fraction of the free-space reserve, so that few writes have to extend it. */
const RESERVE_PARTS = 64;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Extends the data file before LMDB writes to it, so that LMDB never needs a new block from the system. A full disk then causes an ordinary error
 * here, and not one inside LMDB, which can crash the process. LMDB ignores everything after its last page. On copy-on-write file systems (btrfs,
 * ZFS), only the reserve of free space protects against a full disk.
 */
export class Preallocation {
  readonly #file: HeldFile;
  readonly #env: Environment;
  readonly #reserve: number;
  /** The end of the file, and the end of the part that LMDB used when it was last asked. */
  #size = 0;
  #used = 0;
  /** Bytes claimed since then, and by writes that have not ended. */
  #claimed = 0;
  #pending = 0;

  /** @param reserve 0: nothing is extended */
  constructor(file: HeldFile, env: Environment, reserve: number) {
    this.#file = file;
    this.#env = env;
    this.#reserve = reserve;
  }

  /**
   * @param bytes approximate size of a write
   * @returns a function to call when that write has ended
   * @throws {StoreError} `FULL`
   */
  claim(bytes: number): () => void {
    if (this.#reserve === 0) return () => {};
    const claim = PER_WRITE + PER_BYTE * bytes;
    if (this.#used + this.#claimed + claim > this.#size) this.#makeRoom(claim);
    this.#claimed += claim;
    this.#pending += claim;
    return () => {
      this.#pending -= claim;
    };
  }

  #makeRoom(claim: number): void {
    // The declarations of lmdb lack these fields.
    const stats = this.#env.getStats() as { readonly lastPageNumber: number; readonly pageSize: number };
    this.#used = (stats.lastPageNumber + 1) * stats.pageSize;
    this.#claimed = this.#pending;
    this.#size = this.#file.size;
    const needed = this.#used + this.#claimed + claim;
    if (needed > this.#size) this.#extend(needed, Math.floor(this.#reserve / RESERVE_PARTS));
  }

  #extend(needed: number, more: number): void {
    const end = Math.max(needed, this.#size + more);
    try {
      while (this.#size < end) this.#size += this.#file.append(ZEROS.subarray(0, Math.min(ZEROS.length, end - this.#size)));
    } catch (cause) {
      if (systemCode(cause) === null) throw cause;
      if (this.#size >= needed) return;
      const message = `the data file cannot be extended (${systemCode(cause)}): free some space on its disk; writes are refused until then`;
      throw new StoreError('FULL', message, { cause });
    }
  }
}
