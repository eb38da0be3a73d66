import { statfsSync } from 'node:fs';
import type { Clock } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';

const CHECK_EVERY_MS = 1000;
const DEFAULT_RESERVE = 64 * 1024 * 1024;

/** 64 MiB, or a quarter of a disk that is smaller than 256 MiB. */
export function defaultReserve(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return Math.min(DEFAULT_RESERVE, Math.floor((blocks * bsize) / 4));
}

/**
 * Refuses writes before the disk is full. LMDB must never meet a full disk: when it formats that error, it overflows an internal buffer. The free
 * space is read at most once a second, and again whenever an eighth of the reserve has been written.
 */
export class FreeSpace {
  readonly #folder: string;
  readonly #reserve: number;
  readonly #clock: Clock;
  #asked_at = Number.NEGATIVE_INFINITY;
  #written = 0;

  constructor(folder: string, reserve: number, clock: Clock) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#clock = clock;
  }

  /** @throws {StoreError} `FULL` if writing about `bytes` would leave less than the reserve. */
  take(bytes: number): void {
    if (this.#reserve === 0) return;
    this.#written += bytes;
    const now = this.#clock.monotonic();
    if (now - this.#asked_at < CHECK_EVERY_MS && this.#written * 8 < this.#reserve) return;
    const { bavail, bsize } = statfsSync(this.#folder);
    if (bavail * bsize - bytes < this.#reserve) {
      this.#asked_at = Number.NEGATIVE_INFINITY;
      throw new StoreError(
        'FULL',
        `the disk of ${this.#folder} has only ${bavail * bsize} bytes free, less than min_free_bytes (${this.#reserve}): free some space`,
      );
    }
    this.#asked_at = now;
    this.#written = 0;
  }
}
