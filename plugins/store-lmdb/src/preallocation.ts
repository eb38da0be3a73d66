import { StoreError } from '@svc/sdk';
import type { HeldFile } from './files/held-file.ts';
import { systemCode } from './files/system-code.ts';
import type { Environment } from './tables/databases.ts';

/** What any write may append besides its values: copies of the pages on their paths, and LMDB's list of free pages. */
const PER_WRITE = 128 * 1024;
/** Where each of many small values is in pages of its own, with its entries in the indexes. */
const PER_BYTE = 4;
/** The file grows by this part of the free-space reserve, so that few writes have to extend it. */
const RESERVE_PARTS = 64;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Extends the data file before LMDB writes to it, so that LMDB never asks the system for a new block: a full disk shows here, where it
 * is an error like others, and not inside LMDB, where it can end the process. What lies behind LMDB's last page means nothing to it.
 * On a file system that writes to a new place each time (btrfs, ZFS) the reserve of free space remains the protection.
 */
export class Preallocation {
  readonly #file: HeldFile;
  readonly #env: Environment;
  readonly #reserve: number;
  /** End of the file, and of what LMDB used of it when it was last asked. */
  #size = 0;
  #used = 0;
  /** Claims since then, and those whose write has not ended. */
  #claimed = 0;
  #pending = 0;

  /** @param reserve 0: nothing is extended */
  constructor(file: HeldFile, env: Environment, reserve: number) {
    this.#file = file;
    this.#env = env;
    this.#reserve = reserve;
  }

  /**
   * @param bytes about how much a write writes
   * @returns to be called when that write has ended
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
    // The declarations of lmdb lack the fields.
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
      const message = `the data file cannot be extended (${systemCode(cause)}): nothing is written until there is space on its disk`;
      throw new StoreError('FULL', message, { cause });
    }
  }
}
