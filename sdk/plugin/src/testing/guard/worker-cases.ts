import type { GuardContext, Stage } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { fakeSegments } from '../fakes/segments.ts';
import type { GuardConformanceOptions } from './options.ts';
import type { Subject, WithSubject } from './subject.ts';
import { largeTexts } from './time-cases.ts';

/** Replies that are not a valid result for any guard. */
const RUBBISH = [undefined, null, 'nothing', 0, [], {}, [undefined], [{}], { found: [] }];

/** Cases for heavy work. A guard that has none passes. */
export function workerCases(withSubject: WithSubject, { samples, clean = [] }: GuardConformanceOptions): ConformanceCase[] {
  return [
    {
      name: 'fails if its worker task fails or returns an invalid result',
      run: () =>
        withSubject(async (subject) => {
          const [stage] = subject.guard.stages;
          if (stage === undefined) return;
          for (const text of [...samples, ...clean, ...largeTexts(samples)]) {
            for (const ask of callsOf(subject, stage, text)) await assertFails(ask);
          }
        }),
    },
  ];
}

type RunInWorker = GuardContext['runInWorker'];

/** The ways in which a guard checks a text: in a run, and outside any run. */
function callsOf({ guard, context }: Subject, stage: Stage, text: string): ((runInWorker: RunInWorker) => Promise<unknown>)[] {
  return [
    async (runInWorker) => guard.check(fakeSegments(stage, [text]), { ...context(stage), runInWorker }),
    async (runInWorker) => guard.scan?.(text, { runInWorker }),
  ];
}

/** Asserts that the guard fails. A guard that used no thread may return a result. */
async function assertFails(ask: (runInWorker: RunInWorker) => Promise<unknown>): Promise<void> {
  const answers: RunInWorker[] = [
    () => Promise.reject(new Error('the worker thread ended')),
    ...RUBBISH.map((rubbish) => async () => rubbish),
  ];
  for (const answer of answers) {
    let asked = false;
    const failed = await ask((moduleUrl, input) => {
      asked = true;
      return answer(moduleUrl, input);
    }).then(
      () => false,
      () => true,
    );
    if (!asked) return;
    assert.ok(failed, 'a failure, because the worker task failed', 'an answer');
  }
}
