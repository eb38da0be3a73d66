import type { Clock, GuardDeps, Logger } from '@svc/contracts';

const nothing = (): void => undefined;

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const machineClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

const NO_COUNTERS = () => Promise.reject(new Error('this guard has no counters: pass it the counters of the store'));

/**
 * Creates what a plugin's `create` receives besides its options, for programs that use a plugin without the gateway. `parts` overrides the defaults. A
 * guard that counts, such as a budget, needs the `counters` of the store.
 */
export function pluginDeps(name: string, parts: Partial<GuardDeps> = {}): GuardDeps {
  return {
    name,
    directory: process.cwd(),
    logger: silentLogger,
    clock: machineClock,
    fetch: globalThis.fetch,
    counters: { reserve: NO_COUNTERS, read: NO_COUNTERS },
    openNamespace: () => {
      throw new Error('retrieval is not available here');
    },
    ...parts,
  };
}
