import type { WorkerPools } from '@svc/sdk/plugin';

/** For tests of this package alone: tasks run in this thread, structured-cloned as between threads. The real pools run in test/contract. */
export const testWorkers: WorkerPools = {
  pool: () => ({
    async run(moduleUrl, input) {
      const module: { default: (input: unknown) => unknown } = await import(moduleUrl);
      return structuredClone(module.default(structuredClone(input)));
    },
  }),
};
