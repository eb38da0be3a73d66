import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { checkCases } from './check-cases.ts';
import { declarationCases } from './declaration-cases.ts';
import { hookCases } from './hook-cases.ts';
import { lintCases } from './lint-cases.ts';
import type { GuardConformanceOptions } from './options.ts';
import { scanCases } from './scan-cases.ts';
import { streamCases } from './stream-cases.ts';
import { subjects } from './subject.ts';
import { timeCases } from './time-cases.ts';
import { workerCases } from './worker-cases.ts';

export type { GuardConformanceOptions } from './options.ts';

/**
 * The checks that every guard must pass, whatever it looks for: declarations, shapes of results, purity, independence of runs, equal results for
 * streams and whole texts, hooks, time, failures of threads. Pass each case to your test runner:
 *
 *     for (const { name, run } of guardConformance({ guard, samples })) test(name, run);
 */
export function guardConformance(options: GuardConformanceOptions): ConformanceCase[] {
  const withSubject = subjects(options);
  return explained([
    ...declarationCases(withSubject),
    ...checkCases(withSubject, options),
    ...hookCases(withSubject, options),
    ...lintCases(withSubject),
    ...scanCases(withSubject, options),
    ...streamCases(withSubject, options),
    ...timeCases(withSubject, options),
    ...workerCases(withSubject, options),
  ]);
}
