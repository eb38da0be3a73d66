import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongFirst from './scripts/long-first.ts';

/** `npm run test:all` runs these too: they need tools, processes or time. `npm test` runs all others, and takes at most five minutes on two cores. */
const SLOW = ['test/{bench,clients,command,e2e,fault,property,store-channel,tutorials}/**/*.test.ts', '**/*.slow.test.ts'];

/** Slow tests that need a database. One server is started for all of them, and they get its URL. */
const POSTGRES = '{plugins/*/src,test}/**/*.postgres.test.ts';

const TESTS = ['{kernel,sdk,plugins}/*/src/**/*.test.ts', 'host/{src,pages}/**/*.test.ts', '{scripts,test}/**/*.test.ts'];
const MODULES = '**/node_modules/**';
const globalSetup = './test/harness/fresh-build.ts';

export default defineConfig({
  // Tests run the packages' sources, not their builds; worker threads inherit the condition.
  // Without Vite's own `module`, which is for bundlers and unknown to Node.
  ssr: { resolve: { conditions: ['@svc/source', 'node', 'development|production'] } },
  test: {
    reporters: ['default', './scripts/summary-reporter.ts'],
    setupFiles: ['./test/harness/property-runs.ts'],
    // For tests that hang. Machines that run tests may be many times slower than those on which they are written.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests start hundreds of servers. Node keeps their compiled code, which saves an eighth of each start.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'svc-compile-cache') },
    // One more than cores: workers spend a quarter of their time waiting for other processes. With more of them, tests of time and memory limits
    // would fail.
    maxWorkers: availableParallelism() + 1,
    // Each worker process runs many files. A process for each of the 400 files would cost half a second of a core each.
    isolate: false,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: 'fast', include: TESTS, exclude: [MODULES, ...SLOW, POSTGRES], globalSetup } },
      { extends: true, test: { name: 'slow', include: SLOW, exclude: [MODULES, POSTGRES], globalSetup } },
      {
        extends: true,
        test: { name: 'postgres', include: [POSTGRES], globalSetup: [globalSetup, './test/harness/provide-postgres.ts'] },
      },
    ],
  },
});
