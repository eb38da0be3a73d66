import type { GuardResult } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { pieces, random } from '../cases/random.ts';
import { fakeSegments } from '../fakes/segments.ts';
import { editedText } from './edits.ts';
import type { GuardConformanceOptions } from './options.ts';
import { assertCode, assertResult, assertSilent } from './result.ts';
import { opened, type Push, type Streamed, streamed } from './streamed.ts';
import type { Subject, WithSubject } from './subject.ts';
import { assertInTime, DEFAULT_LIMIT_MS, LENGTH, largeTexts, STREAMED_SHARE, timed } from './time-cases.ts';

const CHUNKINGS = 20;
const CHANNELS = 2;

/** Cases for guards with a `stream`. Other guards pass, because they get the whole answer. */
export function streamCases(withSubject: WithSubject, options: GuardConformanceOptions): ConformanceCase[] {
  const { samples, clean = [], time_limit_ms = DEFAULT_LIMIT_MS } = options;
  const streaming = (use: (subject: Subject) => Promise<void>): Promise<void> =>
    withSubject(async (subject) => {
      if (subject.guard.stream !== undefined) await use(subject);
    });
  return [
    {
      name: 'streams the same text as check returns, however the stream is split',
      run: () =>
        streaming(async (subject) => {
          for (const text of [...answers(samples, clean), '']) {
            const whole = await wholeAnswer(subject, text);
            for (let seed = 0; seed < CHUNKINGS; seed++) {
              const run = await streamed(opened(subject.guard, subject.context('egress')), CHANNELS, shuffled(text, seed));
              assertSameAnswer(subject, run, whole, text);
            }
          }
        }),
    },
    {
      name: 'releases nothing of a sample that stops the stream, and records no text',
      run: () =>
        streaming(async (subject) => {
          for (const sample of samples) {
            const whole = await wholeAnswer(subject, sample);
            const run = await streamed(opened(subject.guard, subject.context('egress')), CHANNELS, shuffled(sample, 1));
            const { code, findings } = run.finish;
            assertSilent({ code: run.stop?.code ?? code, findings, lines: subject.logger.lines }, sample);
            if (subject.guard.stream?.capability !== 'window' || !refuses(whole.result)) continue;
            for (const text of run.released)
              assert.ok(!text.includes(sample), 'nothing of a refused sample to be released', 'all of it');
          }
        }),
    },
    {
      name: 'judges complete parts next to the stream as check does',
      run: () =>
        streaming(async ({ guard, context }) => {
          const segments = fakeSegments('egress', [...samples, ...clean], 'argument');
          const result = await opened(guard, context('egress')).complete(segments);
          assertResult(result, guard, segments);
          assert.same(result, await guard.check(segments, context('egress')));
        }),
    },
    {
      name: 'streams 25,000 characters in small pieces within a quarter of its timeout',
      run: () =>
        streaming(async ({ guard, context }) => {
          for (const text of largeTexts(samples, LENGTH * STREAMED_SHARE)) {
            const pushes = pieces(text, 8, random(1)).map((piece) => ({ choice: 0, text: piece }));
            const stream = opened(guard, context('egress'));
            assertInTime(await timed(() => streamed(stream, 1, pushes)), time_limit_ms * STREAMED_SHARE, text.length);
          }
        }),
    },
  ];
}

interface WholeAnswer {
  readonly result: GuardResult;
  /** The text of each channel with its edits applied. */
  readonly texts: readonly string[];
}

async function wholeAnswer({ guard, context }: Subject, text: string): Promise<WholeAnswer> {
  const segments = fakeSegments(
    'egress',
    Array.from({ length: CHANNELS }, () => text),
  );
  const result = await guard.check(segments, context('egress'));
  return { result, texts: segments.map((segment) => editedText(segment, result.edits)) };
}

function assertSameAnswer({ guard }: Subject, { released, stop, finish }: Streamed, whole: WholeAnswer, text: string): void {
  const judgesLate = guard.stream?.capability === 'post';
  if (stop !== null) {
    assert.ok(!judgesLate, 'a post guard to return its verdict from finish', 'a stop');
    assert.ok(refuses(whole.result), `no stop, as the whole text gives '${whole.result.verdict}'`, 'one');
    assertCode(stop.code);
    assertResult(finish, guard, []);
    assert.same(finish.edits, []);
    assert.same(finish.findings.length > 0, whole.result.findings.length > 0, 'findings in finish after a stop');
    for (const [choice, release] of released.entries()) {
      assert.ok(whole.texts[choice]?.startsWith(release), 'a prefix of the edited text before the stop', 'a different text');
    }
    return;
  }
  assert.ok(judgesLate || !refuses(whole.result), 'a window guard to stop the stream before its end', 'no stop');
  assert.same(released, judgesLate ? released.map(() => text) : whole.texts);
  assertResult(finish, guard, []);
  assert.same({ verdict: finish.verdict }, { verdict: whole.result.verdict }, 'at the end of the stream');
  assert.same(finish.edits, []);
}

function refuses({ verdict }: GuardResult): boolean {
  return verdict === 'block' || verdict === 'require_approval';
}

/** Answers with samples alone, within other text, and one after another. */
function answers(samples: readonly string[], clean: readonly string[]): string[] {
  const inside = samples.map((sample) => `${clean.join(' ')} ${sample}, 😀 ${sample}. ${clean.join('\n')}`);
  return [...samples, ...clean, ...inside, samples.join(' '), samples.join('')];
}

/** The same text on every channel, in pieces that are cut and interleaved at random. */
function shuffled(text: string, seed: number): Push[] {
  const next = random(seed);
  const longest = 1 + Math.floor(next() * 12);
  const queues = Array.from({ length: CHANNELS }, () => pieces(text, longest, next));
  const pushes: Push[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const choice = Math.floor(next() * CHANNELS);
    const piece = queues[choice]?.shift();
    if (piece !== undefined) pushes.push({ choice, text: piece });
  }
  return pushes;
}
