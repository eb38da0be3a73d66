import type { WorkerPools } from '@svc/kernel/contracts';

/** For plugins that need no workers; one that does must be given real pools. */
export const noWorkers: WorkerPools = {
  pool(name) {
    throw new Error(`worker pool '${name}' is not available in this test: pass workers to fakePluginDeps`);
  },
};
