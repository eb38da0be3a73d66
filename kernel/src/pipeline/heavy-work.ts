import type { HeavyWork, WorkerPools } from '../contracts/index.ts';

/** What a guard's context has for heavy work: one pool for all guards. */
export function heavyWork(workers: WorkerPools, timeout_ms: number, signal: AbortSignal): HeavyWork & { signal: AbortSignal } {
  return {
    signal,
    runInWorker: (moduleUrl, input) => workers.pool('guards').run(moduleUrl, input, { timeout_ms, signal }),
  };
}
