import { getSystemErrorName } from 'node:util';
import type { Logger } from '@svc/sdk/plugin';
import type { Environment } from './databases.ts';
import { StoreError } from './errors.ts';
import type { FreeSpace } from './free-space.ts';

/** LMDB's own errors carry a number, those of a failed commit a promise of the reason. */
function isFromLmdb(error: unknown): error is Error {
  return error instanceof Error && ('commitError' in error || ('code' in error && typeof error.code === 'number'));
}

/** Name of the reason where the system gave one (ENOSPC, EIO), else LMDB's number. */
function reasonOf(error: unknown): string {
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
    if (this.#stopped !== null) throw this.#stopped;
    this.#space.take(bytes);
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

  #stop(error: Error): StoreError {
    if (this.#stopped === null) {
      this.#stopped = new StoreError(
        'STOPPED',
        `a write to ${this.#folder} failed and nothing more is written: the log has the reason (store_write_failed); check the disk, then restart`,
        { cause: error },
      );
    }
    const report = (reason: unknown) => this.#logger.error({ event: 'store_write_failed', reason: reasonOf(reason) });
    // Unhandled, the promise of a failed commit's reason would end the process. Not awaited: LMDB does not settle it for every reason.
    if ('commitError' in error) Promise.resolve(error.commitError).catch(report);
    else report(error);
    return this.#stopped;
  }
}
