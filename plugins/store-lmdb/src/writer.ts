import { getSystemErrorName } from 'node:util';
import { type Logger, StoreError } from '@svc/sdk';
import type { FreeSpace } from './files/free-space.ts';
import type { HeldFile } from './files/held-file.ts';
import { systemCode } from './files/system-code.ts';
import type { Preallocation } from './preallocation.ts';
import type { Environment } from './tables/databases.ts';

/** About what a write of one small value costs on disk, in bytes. */
export const SMALL = 4096;

/** LMDB's own errors carry a number, those of a failed commit a promise of the reason. */
function isFromLmdb(error: unknown): error is Error {
  return error instanceof Error && ('commitError' in error || ('code' in error && typeof error.code === 'number'));
}

/**
 * The error behind a failed commit. Its promise must be handled, since an unhandled one ends the process, and must not be waited for:
 * LMDB does not settle it for every reason.
 */
function reasonPromise(error: Error): Promise<unknown> {
  return 'commitError' in error ? Promise.resolve(error.commitError).catch((reason: unknown) => reason) : Promise.resolve(error);
}

/** Name of the reason where the system gave one (ENOSPC, EIO), else LMDB's number. */
function nameOf(error: unknown): string {
  const code = systemCode(error);
  if (code !== null) return code;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return 'unknown';
  try {
    return getSystemErrorName(-error.code);
  } catch {
    return String(error.code);
  }
}

/** LMDB formats its message of a failed write into so many bytes, and overwrites what lies behind them with the rest. */
const MESSAGE_BYTES = 100;

/** Whether LMDB has overwritten memory that is not its own. */
function overran(reason: unknown): boolean {
  const formatted = reason instanceof Error ? reason.message.indexOf('Attempting to write page') : -1;
  return reason instanceof Error && formatted >= 0 && reason.message.length - formatted >= MESSAGE_BYTES;
}

/** As a service manager does it, in order; it sees a failure and starts it again. */
function endProcess(): void {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

export interface WriterParts {
  readonly env: Environment;
  readonly space: FreeSpace;
  /** The data file and the log, or the first alone where nothing is written. */
  readonly files: readonly HeldFile[];
  readonly preallocation: Preallocation;
  readonly folder: string;
  readonly logger: Logger;
}

/**
 * The one way to write. After the first failure it writes nothing more: going on after a failed commit can abort the process inside LMDB.
 * Nor after a file was taken away: what is written then is lost at the next start.
 */
export class Writer {
  readonly #parts: WriterParts;
  #stopped: StoreError | null = null;
  #gone: StoreError | null = null;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Runs `action` (synchronous) in an exclusive write and resolves once it is on disk. Actions of one turn of the event loop share one
   * commit; one that throws is rolled back alone. `bytes`: about how much it writes.
   */
  async write<T>(bytes: number, action: () => T): Promise<T> {
    this.assertInPlace();
    return this.#admitted(bytes, async () => {
      try {
        // childTransaction, since a throw in transaction() does not roll back.
        return await this.#parts.env.childTransaction(() => {
          // Gathered with one that failed, but not begun.
          if (this.#stopped !== null) throw this.#stopped;
          return action();
        });
      } catch (error) {
        throw isFromLmdb(error) ? this.#stop(error) : error;
      }
    });
  }

  /**
   * Queues what `put` puts, for LMDB's thread to write by itself, and resolves once all of it is on disk; or, where the condition of `put` does
   * not hold, nothing of it. What it throws cannot be rolled back: it must be sure that it can put, and have called `assertInPlace` in this turn.
   */
  async putAll(bytes: number, put: () => Promise<boolean>): Promise<boolean> {
    return this.#admitted(bytes, async () => {
      try {
        return await put();
      } catch (error) {
        throw this.#stop(error instanceof Error ? error : new Error('a put threw'));
      }
    });
  }

  /**
   * Has the log take something, and resolves once it is on disk. @throws {StoreError} `FULL` where its disk is: then nothing was written, and
   * the next write may be
   */
  async append(bytes: number, append: () => Promise<void>): Promise<void> {
    if (this.#stopped !== null) throw this.#stopped;
    this.#parts.space.take(bytes);
    try {
      await append();
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw this.#stop(error instanceof Error ? error : new Error('the log threw'));
      throw new StoreError('FULL', `the disk of ${this.#parts.folder} is full (${code}): free some space`, { cause: error });
    }
    this.assertInPlace();
  }

  /** @throws {StoreError} `STOPPED` once a file was not where it was when it was opened */
  assertInPlace(): void {
    if (this.#gone !== null || !this.#parts.files.every((file) => file.isInPlace())) throw this.lose();
  }

  /** What is stored is not what was written: from now on nothing is written or read. */
  lose(): StoreError {
    if (this.#gone !== null) return this.#gone;
    const { folder, logger } = this.#parts;
    const remedy = 'bring back the folder as it was, then restart';
    this.#gone = new StoreError('STOPPED', `${folder} was removed or replaced while it was in use: ${remedy}`);
    logger.error({ event: 'store_gone' });
    return this.#gone;
  }

  /** Nothing is acknowledged unless the files were in place after they were synced. */
  async #admitted<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (this.#stopped !== null) throw this.#stopped;
    this.#parts.space.take(bytes);
    const written = this.#parts.preallocation.claim(bytes);
    try {
      const result = await write();
      this.assertInPlace();
      return result;
    } finally {
      written();
    }
  }

  #stop(error: Error): StoreError {
    const reason = reasonPromise(error);
    if (this.#stopped !== null) return this.#stopped;
    this.#stopped = new StoreError(
      'STOPPED',
      `a write to ${this.#parts.folder} failed and nothing more is written: the log has the reason (store_write_failed); check the disk, then restart`,
      { cause: error },
    );
    reason.then((cause) => {
      const ends = overran(cause);
      this.#parts.logger.error({ event: 'store_write_failed', reason: nameOf(cause), ...(ends ? { ends } : {}) });
      if (ends) endProcess();
    });
    return this.#stopped;
  }
}
