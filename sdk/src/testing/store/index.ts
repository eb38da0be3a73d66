import type { ConformanceCase } from '../conformance-case.ts';
import { fakeClock } from '../fakes/clock.ts';
import { commitCases } from './commit-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { contentCases } from './content-cases.ts';
import { counterCases } from './counter-cases.ts';
import type { StoreCases, StoreConformanceOptions } from './fixture.ts';
import { leaseCases } from './lease-cases.ts';
import { queryCases } from './query-cases.ts';
import { recordCases } from './record-cases.ts';
import { reopenCases } from './reopen-cases.ts';
import { sealCases } from './seal-cases.ts';

export type { StoreConformanceOptions, StoreFixture } from './fixture.ts';

const AREAS: Readonly<Record<string, StoreCases>> = {
  commit: commitCases,
  seal: sealCases,
  concurrency: concurrencyCases,
  runs: queryCases,
  records: recordCases,
  content: contentCases,
  counters: counterCases,
  'leases, cursors and meta': leaseCases,
  reopen: reopenCases,
};

/**
 * What every store must do, as cases for any test runner:
 *
 * ```ts
 * for (const { name, run } of storeConformance({ open })) it(name, run);
 * ```
 *
 * Each case opens its own store. It proves nothing about a crash, a full disk or several processes: those are for the plugin's own tests.
 */
export function storeConformance(options: StoreConformanceOptions): ConformanceCase[] {
  const prefix = options.name === undefined ? '' : `${options.name}: `;
  return Object.entries(AREAS).flatMap(([area, cases]) =>
    Object.entries(cases).map(([name, check]) => ({
      name: `${prefix}${area}: ${name}`,
      run: async () => {
        const clock = fakeClock();
        const fixture = await options.open(clock);
        try {
          await check({ store: fixture.store, clock, reopen: () => fixture.reopen() });
        } finally {
          await fixture.dispose();
        }
      },
    })),
  );
}
