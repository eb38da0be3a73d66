import { getSystemErrorName } from 'node:util';
import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import type { FreeSpace } from './files/free-space.ts';
import type { HeldFile } from './files/held-file.ts';
import { systemCode } from './files/system-code.ts';
import type { Log } from './log/log.ts';
import type { Preallocation } from './preallocation.ts';
import type { Environment } from './tables/databases.ts';

/** Approximate disk use of one small value, in bytes. */
export const SMALL = 4096;

/** LMDB's own errors have a number; the error of a failed commit has a promise with the reason. */
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

/** Name of the system's reason (ENOSPC, EIO) if there is one, otherwise LMDB's number. */
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

/** Size of LMDB's buffer for the message of a failed write. A longer message overwrites the memory after it. */
const MESSAGE_BYTES = 100;

/** Whether LMDB has overwritten memory that is not its own. */
function overran(reason: unknown): boolean {
  const formatted = reason instanceof Error ? reason.message.indexOf('Attempting to write page') : -1;
  return reason instanceof Error && formatted >= 0 && reason.message.length - formatted >= MESSAGE_BYTES;
}

/** Shuts the process down as a service manager would. The service manager sees the failure and restarts it. */
function endProcess(): void {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

export interface WriterParts {
  readonly env: Environment;
  readonly space: FreeSpace;
  /** The data file and the log; only the first if nothing is written. */
  readonly files: readonly HeldFile[];
  readonly preallocation: Preallocation;
  readonly folder: string;
  readonly logger: Logger;
}

/**
 * The only way to write. After the first failure nothing more is written: continuing after a failed commit can abort the process inside LMDB. The
 * same holds after a file was removed: later writes would be lost at the next start.
 */
export class Writer {
  readonly #parts: WriterParts;
  #stopped: StoreError | null = null;
  #gone: StoreError | null = null;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Runs `action` (synchronous) in an exclusive write and resolves when it is on disk. Actions of one turn of the event loop share one commit;
   * an action that throws is rolled back alone. `bytes`: approximate size of the write.
   */
  async write<T>(bytes: number, action: () => T): Promise<T> {
    this.assertInPlace();
    return this.#admitted(bytes, async () => {
      try {
        // childTransaction, since a throw in transaction() does not roll back.
        return await this.#parts.env.childTransaction(() => {
          // Queued together with a failed action, but not started.
          if (this.#stopped !== null) throw this.#stopped;
          return action();
        });
      } catch (error) {
        throw isFromLmdb(error) ? this.#stop(error) : error;
      }
    });
  }

  /**
   * Queues the puts of `put` for LMDB's thread. Resolves when all of them are on disk. If the condition of `put` does not hold, none is written. A throw cannot
   * be rolled back: `put` must not fail, and `assertInPlace` must have been called in this turn.
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
   * Appends a frame to the log, and resolves when it is on disk. @throws {StoreError} `FULL` if its disk is full: then nothing was written, and
   * later writes may succeed
   */
  async append(log: Log, frame: Buffer): Promise<void> {
    if (this.#stopped !== null) throw this.#stopped;
    this.#parts.space.take(frame.length);
    try {
      await log.append(frame);
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw this.#stop(error instanceof Error ? error : new Error('the log threw'));
      throw new StoreError('FULL', `the disk of ${this.#parts.folder} is full (${code}): free some space`, { cause: error });
    }
    this.assertInPlace();
  }

  /** @throws {StoreError} `STOPPED` if a file is not where it was when it was opened */
  assertInPlace(): void {
    if (this.#gone !== null || !this.#parts.files.every((file) => file.isInPlace())) throw this.lose();
  }

  /** Stops all reads and writes, because the stored data differs from what was written. */
  lose(): StoreError {
    if (this.#gone !== null) return this.#gone;
    const { folder, logger } = this.#parts;
    const remedy = 'restore the folder, then restart the server';
    this.#gone = new StoreError('STOPPED', `${folder} was removed or replaced while it was in use: ${remedy}`);
    logger.error({ event: 'store_gone' });
    return this.#gone;
  }

  /** A write is acknowledged only if the files are in place after the sync. */
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
      `a write to ${this.#parts.folder} failed, so all further writes are refused. See store_write_failed in the log, check the disk, then restart the server`,
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
