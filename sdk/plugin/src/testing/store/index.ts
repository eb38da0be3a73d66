import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { fakeClock } from '../fakes/clock.ts';
import { commitCases } from './commit-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { contentCases } from './content-cases.ts';
import { counterCases } from './counter-cases.ts';
import { crashCases } from './crash-cases.ts';
import { dumpCases } from './dump-cases.ts';
import type { StoreCases, StoreConformanceOptions, StoreContext, StoreFixture } from './fixture.ts';
import { leaseCases } from './lease-cases.ts';
import { queryCases } from './query-cases.ts';
import { recordCases } from './record-cases.ts';
import { reopenCases } from './reopen-cases.ts';
import { replicaCases, sharingCases } from './replica-cases.ts';
import { sealCases } from './seal-cases.ts';
import { sessionCases, sessionDumpCases, sessionReopenCases, sessionReplicaCases } from './session-cases.ts';

export { createRun, moveRun, sampleRun } from './builders.ts';
export { commitSealed, verifiedChain } from './chain.ts';
export { workUntilKilled } from './crash-work.ts';
export type { CrashWork, StoreConformanceOptions, StoreFixture } from './fixture.ts';

const AREAS: Readonly<Record<string, StoreCases>> = {
  commit: commitCases,
  seal: sealCases,
  sessions: sessionCases,
  concurrency: concurrencyCases,
  runs: queryCases,
  records: recordCases,
  content: contentCases,
  counters: counterCases,
  'leases, cursors and meta': leaseCases,
  reopen: { ...reopenCases, ...sessionReopenCases },
  dump: { ...dumpCases, ...sessionDumpCases },
};

const REPLICAS = { ...replicaCases, ...sessionReplicaCases };

/** Adds the functions that a case needs besides the store. */
type Extend<F, C> = (context: StoreContext, opened: Opened<F>) => C;

/** The stores that a case has opened. They are closed at its end. */
class Opened<F> {
  readonly fixture: F;
  readonly closers: (() => Promise<void>)[];

  constructor(fixture: F, dispose: () => Promise<void>) {
    this.fixture = fixture;
    this.closers = [dispose];
  }

  async close(): Promise<void> {
    for (const close of this.closers.reverse()) await close();
  }
}

async function runCase<F extends StoreFixture, C>(
  options: StoreConformanceOptions<F>,
  extend: Extend<F, C>,
  check: (context: C) => Promise<void>,
): Promise<void> {
  const clock = fakeClock();
  const fixture = await options.open(clock);
  const opened = new Opened(fixture, () => fixture.dispose());
  const empty = async (): Promise<StoreFixture> => {
    const second = await options.open(clock);
    opened.closers.push(() => second.dispose());
    return second;
  };
  try {
    await check(extend({ store: fixture.store, clock, reopen: () => fixture.reopen(), empty }, opened));
  } finally {
    await opened.close();
  }
}

/**
 * The checks that every store must pass, for any test runner:
 *
 * ```ts
 * for (const { name, run, left_out } of storeConformance({ open, another, start })) it.skipIf(left_out)(name, run);
 * ```
 *
 * Each case opens its own store. Test a full disk and a lost database connection in the plugin's own tests.
 */
export function storeConformance<F extends StoreFixture>(options: StoreConformanceOptions<F>): ConformanceCase[] {
  const prefix = options.name === undefined ? '' : `${options.name}: `;
  const area = <C>(name: string, cases: StoreCases<C>, extend: Extend<F, C>): ConformanceCase[] =>
    Object.entries(cases).map(([title, check]) => ({
      name: `${prefix}${name}: ${title}`,
      run: () => runCase(options, extend, check),
    }));
  const without = <C>(name: string, cases: StoreCases<C>, option: string): ConformanceCase[] =>
    Object.keys(cases).map((title) => ({
      name: `${prefix}${name}: ${title} (skipped: no option "${option}")`,
      run: () => Promise.reject(new Error(`needs the option "${option}"`)),
      left_out: true,
    }));
  const { another, start, crash_rounds: rounds = 6 } = options;
  return explained([
    ...Object.entries(AREAS).flatMap(([name, cases]) => area(name, cases, (context) => context)),
    ...area('sharing', sharingCases(another !== undefined), (context) => context),
    ...(another === undefined
      ? without('replicas', REPLICAS, 'another')
      : area('replicas', REPLICAS, (context, { fixture, closers }) => ({
          ...context,
          another: async () => {
            const store = await another(fixture, context.clock);
            closers.push(() => store.close());
            return store;
          },
        }))),
    ...(start === undefined
      ? without('crash', crashCases, 'start')
      : area('crash', crashCases, (context, { fixture }) => ({
          ...context,
          rounds,
          start: async (work) => {
            await fixture.store.close();
            return start(fixture, work);
          },
        }))),
  ]);
}
