import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests run the packages' sources, not their builds; worker threads inherit the condition.
  ssr: { resolve: { conditions: ['@svc/source', 'module', 'node', 'development|production'] } },
  test: {
    include: [
      '{kernel,sdk,host}/src/**/*.test.ts',
      'plugins/*/src/**/*.test.ts',
      'host/pages/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    reporters: ['default', './scripts/summary-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
