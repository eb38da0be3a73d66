import type { GuardResult, JsonObject, SegmentKind, Stage } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { fakeSegments } from '../fakes/segments.ts';
import type { GuardConformanceOptions } from './options.ts';
import { assertResult, assertSilent } from './result.ts';
import type { Subject, WithSubject } from './subject.ts';

const KINDS: readonly SegmentKind[] = ['text', 'name', 'argument', 'key', 'url'];

/** Texts that are hard to process: empty, half a surrogate pair, beyond the basic plane, combining marks, control characters. */
const AWKWARD = ['', '\ud83d', '\ude00\ud83d', '👩‍💻😀', 'e\u0301\u200d', '\u0000\r\n\u2028', 'ß İ ſ K', '$1 $& \\1'];

export function checkCases(withSubject: WithSubject, { samples, clean = [] }: GuardConformanceOptions): ConformanceCase[] {
  return [
    {
      name: 'finds every sample in every stage that it supports',
      run: () =>
        eachText(withSubject, samples, async (subject, stage, text) => {
          const { verdict, findings } = await checked(subject, stage, [text]);
          assert.ok(verdict !== 'allow', 'a verdict other than allow for a sample', `'${verdict}'`);
          const counts = findings.map(({ count }) => count);
          assert.ok(
            counts.some((count) => count > 0),
            'a finding for a sample',
            counts,
          );
        }),
    },
    {
      name: 'allows clean texts without edits or findings',
      run: () =>
        eachText(withSubject, clean, async (subject, stage, text) => {
          const { verdict, findings } = await checked(subject, stage, [text]);
          assert.same({ verdict, findings }, { verdict: 'allow', findings: [] });
        }),
    },
    {
      name: 'does not put checked text into codes, findings, hints or logs',
      run: () =>
        eachText(withSubject, samples, async (subject, stage, text) => {
          const { code, findings, hint } = await checked(subject, stage, [text]);
          assertSilent({ code, findings, hint, lines: subject.logger.lines }, text);
        }),
    },
    {
      name: 'handles segments of every kind, no segments, and unusual texts',
      run: () =>
        eachStage(withSubject, async (subject, stage) => {
          await checked(subject, stage, []);
          for (const kind of KINDS) await checked(subject, stage, [...AWKWARD, ...samples, ...clean], kind);
        }),
    },
    {
      name: 'returns the same result for the same run',
      run: () =>
        eachStage(withSubject, async (subject, stage) => {
          const texts = [...samples, ...clean, ...samples];
          const again = await withSubject((other) => checked(other, stage, texts));
          assert.same(await checked(subject, stage, texts), again);
        }),
    },
    {
      name: 'is not affected by concurrent runs',
      run: () =>
        eachStage(withSubject, async (subject, stage) => {
          const texts = [...samples, ...clean, ''];
          const together = await Promise.all(texts.map((text, run) => checked(subject, stage, [text], 'text', {}, run)));
          for (const [run, text] of texts.entries()) {
            const alone = await withSubject((other) => checked(other, stage, [text], 'text', {}, run));
            assert.same(together[run], alone, `run ${run} got a different result when others ran at the same time`);
          }
        }),
    },
    {
      name: 'keeps only JSON in the state of a run, and continues from a stored state',
      run: () =>
        eachStage(withSubject, async (subject, stage) => {
          const state: JsonObject = {};
          await checked(subject, stage, samples, 'text', state);
          const stored: JsonObject = JSON.parse(JSON.stringify(state));
          assert.same(state, stored);
          for (const next of subject.guard.stages) {
            await withSubject(async (restarted) => {
              const after = await checked(restarted, next, samples, 'text', stored);
              assert.same(after, await checked(subject, next, samples, 'text', state));
            });
          }
        }),
    },
  ];
}

/** The result of one check, which is asserted to be valid. Segments and context are frozen, so changing them throws. */
async function checked(
  { guard, context }: Subject,
  stage: Stage,
  texts: readonly string[],
  kind: SegmentKind = 'text',
  state: JsonObject = {},
  run = 0,
): Promise<GuardResult> {
  const segments = fakeSegments(stage, texts, kind);
  const result = await guard.check(segments, context(stage, state, run));
  assertResult(result, guard, segments);
  return result;
}

function eachStage(withSubject: WithSubject, use: (subject: Subject, stage: Stage) => Promise<void>): Promise<void> {
  return withSubject(async (subject) => {
    for (const stage of subject.guard.stages) await use(subject, stage);
  });
}

function eachText(
  withSubject: WithSubject,
  texts: readonly string[],
  use: (subject: Subject, stage: Stage, text: string) => Promise<void>,
): Promise<void> {
  return eachStage(withSubject, async (subject, stage) => {
    for (const text of texts) await use(subject, stage, text);
  });
}
