/**
 * One check of a conformance suite. A suite is a function that returns a list of these. It works with any test runner:
 *
 * ```ts
 * import { it } from 'vitest'; // or: import { it } from 'node:test';
 * for (const { name, run } of storeConformance({ open })) it(name, run);
 * ```
 *
 * Cases share nothing: they may run in any order, alone or at the same time. `run` rejects if the plugin does not conform.
 */
export type ConformanceCase = {
  name: string;
  run: () => Promise<void>;
  /** True if the case cannot run with the given options: `name` says why, and `run` rejects. Skip such cases with `it.skipIf(left_out)`. */
  left_out?: boolean;
};
