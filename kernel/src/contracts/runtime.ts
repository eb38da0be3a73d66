/**
 * Structured log, one JSON line a call. Authors must not put message text, matched values, secrets or upstream messages in it:
 * codes, names, counts and durations only.
 */
export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. May jump; for dates and expiry. */
  now(): number;
  /** Milliseconds from an arbitrary start, never backwards. For durations. */
  monotonic(): number;
}

/** A pool of worker threads for CPU-heavy work, shared by name over all plugins that ask for the same name. */
export interface WorkerPool {
  /**
   * Runs the default export of the module at `moduleUrl` (a `file:` URL) on `input` in a worker thread.
   * `input` and the result are structured-cloned. The module is loaded once a thread.
   * @param options.timeout_ms counted from when a worker has taken the task and loaded its module, not from when it was queued; then the
   * thread is ended. Loading has a limit of its own, 60 s.
   * @throws {WorkerError}
   */
  run(moduleUrl: string, input: unknown, options: { timeout_ms: number; signal?: AbortSignal }): Promise<unknown>;
}

export interface WorkerPoolOptions {
  /** Most threads; default: half the cores, at least 1. */
  readonly threads?: number;
  /** URLs of modules (a model, large lists) that every thread loads before it takes its first task. */
  readonly warm_up?: readonly string[];
}

export interface WorkerPools {
  /** The first caller's options hold for the name. Threads start with the first task; one stays while the pool is there. */
  pool(name: string, options?: WorkerPoolOptions): WorkerPool;
}

/** `timeout`: ran past its limit; `full`: the queue is full; `aborted`: by the caller's signal; `failed`: the module threw. */
export type WorkerErrorKind = 'timeout' | 'full' | 'aborted' | 'failed';

export class WorkerError extends Error {
  readonly kind: WorkerErrorKind;
  constructor(kind: WorkerErrorKind, options?: { cause: unknown }) {
    super(`worker task ${kind}`, options);
    this.name = 'WorkerError';
    this.kind = kind;
  }
}

/** What every plugin is given. Plain values, no container: take what you need, keep nothing of the kernel's. */
export interface PluginDeps {
  /** The name that the configuration gives this instance (for a guard: the node name). */
  readonly name: string;
  /** Folder of the configuration file: relative paths in options are relative to it. */
  readonly directory: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** @deprecated Guards use `ctx.runInWorker`. Goes with its last user. */
  readonly workers: WorkerPools;
  readonly fetch: typeof fetch;
}
