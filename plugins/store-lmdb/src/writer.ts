import { getSystemErrorName } from 'node:util';
import type { Logger } from '@svc/sdk/plugin';
import { StoreError } from '@svc/sdk/plugin';
import type { Environment } from './databases.ts';
import type { FreeSpace } from './free-space.ts';

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
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return 'unknown';
  try {
    return getSystemErrorName(-error.code);
  } catch {
    return String(error.code);
  }
}

/** The one way to write. After the first failure it writes nothing more: going on after a failed commit can abort the process inside LMDB. */
export class Writer {
  readonly #env: Environment;
  readonly #space: FreeSpace;
  readonly #logger: Logger;
  readonly #folder: string;
  #stopped: StoreError | null = null;

  constructor(env: Environment, space: FreeSpace, folder: string, logger: Logger) {
    this.#env = env;
    this.#space = space;
    this.#folder = folder;
    this.#logger = logger;
  }

  /**
   * Runs `action` (synchronous) in an exclusive write and resolves once it is on disk. Actions of one turn of the event loop share one
   * commit; one that throws is rolled back alone. `bytes`: about how much it writes.
   */
  async write<T>(bytes: number, action: () => T): Promise<T> {
    this.admit(bytes);
    try {
      // childTransaction, since a throw in transaction() does not roll back.
      return await this.#env.childTransaction(() => {
        // Gathered with one that failed, but not begun.
        if (this.#stopped !== null) throw this.#stopped;
        return action();
      });
    } catch (error) {
      throw isFromLmdb(error) ? this.#stop(error) : error;
    }
  }

  /** Throws where about so many bytes cannot be written now. */
  admit(bytes: number): void {
    if (this.#stopped !== null) throw this.#stopped;
    this.#space.take(bytes);
  }

  /**
   * Queues what `put` puts and resolves once all of it is on disk, or, where the condition of `put` does not hold, nothing of it. What it
   * throws cannot be rolled back: it must be sure that it can put, and admitted.
   */
  async putAll(put: () => Promise<boolean>): Promise<boolean> {
    try {
      return await put();
    } catch (error) {
      throw this.#stop(error instanceof Error ? error : new Error('a put threw'));
    }
  }

  #stop(error: Error): StoreError {
    const reason = reasonPromise(error);
    if (this.#stopped !== null) return this.#stopped;
    this.#stopped = new StoreError(
      'STOPPED',
      `a write to ${this.#folder} failed and nothing more is written: the log has the reason (store_write_failed); check the disk, then restart`,
      { cause: error },
    );
    reason.then((cause) => this.#logger.error({ event: 'store_write_failed', reason: nameOf(cause) }));
    return this.#stopped;
  }
}
