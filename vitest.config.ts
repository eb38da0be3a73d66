import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that need a database: they get the URL of a real server, which is started once for all of them. */
const NEEDS_POSTGRES = '**/*.postgres.test.ts';

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
      {
        extends: true,
        test: {
          name: 'plain',
          include: [
            '{kernel,sdk}/*/src/**/*.test.ts',
            'host/src/**/*.test.ts',
            'plugins/*/src/**/*.test.ts',
            'host/pages/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', NEEDS_POSTGRES],
          globalSetup: './test/harness/fresh-build.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [`plugins/*/src/${NEEDS_POSTGRES}`, `test/${NEEDS_POSTGRES}`],
          globalSetup: ['./test/harness/fresh-build.ts', './test/harness/provide-postgres.ts'],
        },
      },
    ],
  },
});
