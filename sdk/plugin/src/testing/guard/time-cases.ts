import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { fakeSegments } from '../fakes/segments.ts';
import type { GuardConformanceOptions } from './options.ts';
import type { WithSubject } from './subject.ts';

export const LENGTH = 100_000;

/** The default of a node's `timeout_ms`. */
export const DEFAULT_LIMIT_MS = 5000;

/** Streaming in small pieces takes much more work than checking the whole text. A quarter of the length is enough to show linear time. */
export const STREAMED_SHARE = 1 / 4;

/** Texts of 100,000 characters: many matches, many near misses, and worst cases for backtracking engines. */
export function largeTexts(samples: readonly string[], length = LENGTH): string[] {
  const pieces = samples.flatMap((sample) => [`${sample} `, sample.slice(0, -1), `${sample.slice(0, -1)} `]);
  return [...pieces, 'a', ' ', '0', '😀', 'a@a.'].filter((piece) => piece !== '').map((piece) => filled(piece, length));
}

export function timeCases(
  withSubject: WithSubject,
  { samples, time_limit_ms = DEFAULT_LIMIT_MS }: GuardConformanceOptions,
): ConformanceCase[] {
  return [
    {
      name: 'checks 100,000 characters within its timeout',
      run: () =>
        withSubject(async ({ guard, context }) => {
          for (const stage of guard.stages) {
            for (const text of largeTexts(samples)) {
              const segments = fakeSegments(stage, [text]);
              assertInTime(await timed(async () => guard.check(segments, context(stage))), time_limit_ms);
            }
          }
        }),
    },
  ];
}

/** The factor by which clock time may exceed the limit. A busy machine is not the guard's fault, but a guard must not wait forever. */
const CLOCK_FACTOR = 10;

/** Duration of some work, in milliseconds. */
interface Taken {
  readonly clock: number;
  /** Processor time, including threads. */
  readonly processor: number;
}

export async function timed(work: () => Promise<unknown>): Promise<Taken> {
  const since = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { clock: performance.now() - since, processor: (user + system) / 1000 };
}

/** The smaller of processor and clock time must stay within the limit, and the clock time within ten times the limit. */
export function assertInTime({ clock, processor }: Taken, limit: number, length = LENGTH): void {
  assert.ok(
    Math.min(clock, processor) <= limit && clock <= limit * CLOCK_FACTOR,
    `at most ${limit} ms of the processor and ${limit * CLOCK_FACTOR} ms by the clock for ${length} characters`,
    `${Math.round(processor)} ms and ${Math.round(clock)} ms`,
  );
}

function filled(piece: string, length: number): string {
  return piece
    .repeat(Math.ceil(length / piece.length))
    .slice(0, length)
    .toWellFormed();
}
