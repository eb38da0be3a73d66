import type { WorkerPools } from '../contracts/index.ts';

/** Where no guard is asked. */
export const NO_WORKERS: WorkerPools = {
  pool() {
    throw new Error('no guard works here');
  },
};
