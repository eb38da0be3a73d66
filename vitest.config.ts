import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `npm run test:all` runs these too: they need tools, processes or minutes. `npm test` runs all others. */
const SLOW = 'test/{bench,clients,command,e2e,fault,property,store-channel,tutorials}/**/*.test.ts';

/** Slow tests that need a database. One server is started for all of them, and they get its URL. */
const POSTGRES = '{plugins/*/src,test}/**/*.postgres.test.ts';

const TESTS = ['{kernel,sdk,plugins}/*/src/**/*.test.ts', 'host/{src,pages}/**/*.test.ts', '{scripts,test}/**/*.test.ts'];
const MODULES = '**/node_modules/**';
const globalSetup = './test/harness/fresh-build.ts';

export default defineConfig({
  // Tests run the packages' sources, not their builds; worker threads inherit the condition.
  // Vite's own `module` is left out: Node does not know it, and what stands behind it is for bundlers.
  ssr: { resolve: { conditions: ['@svc/source', 'node', 'development|production'] } },
  test: {
    reporters: ['default', './scripts/summary-reporter.ts'],
    setupFiles: ['./test/harness/property-runs.ts'],
    // For what hangs, not for what is slow: machines that run tests may be many times slower than those on which they are written.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Hundreds of servers are started: Node keeps what it compiled of them, an eighth of the time of a start.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'svc-compile-cache') },
    // One more than cores: a quarter of a worker's time goes into waiting for other processes. Tests of bounds in time and memory need the machine
    // to be no busier than that.
    maxWorkers: availableParallelism() + 1,
    // Files run one after another in each worker process: one of its own for each file costs half a second of a core, 400 times.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'fast', include: TESTS, exclude: [MODULES, SLOW, POSTGRES], globalSetup } },
      { extends: true, test: { name: 'slow', include: [SLOW], exclude: [MODULES, POSTGRES], globalSetup } },
      {
        extends: true,
        test: { name: 'postgres', include: [POSTGRES], globalSetup: [globalSetup, './test/harness/provide-postgres.ts'] },
      },
    ],
  },
});
