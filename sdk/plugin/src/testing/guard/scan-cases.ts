import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { fakeSegments } from '../fakes/segments.ts';
import { editedText } from './edits.ts';
import type { GuardConformanceOptions } from './options.ts';
import type { WithSubject } from './subject.ts';

/** Cases for `scan`, if the guard has it. */
export function scanCases(withSubject: WithSubject, { samples, clean = [] }: GuardConformanceOptions): ConformanceCase[] {
  return [
    {
      name: 'scan returns the same as check for the same text',
      run: () =>
        withSubject(async ({ guard, context }) => {
          const [stage = 'ingress'] = guard.stages;
          for (const text of [...samples, ...clean, '']) {
            const scan = await guard.scan?.(text, context(stage));
            if (scan === undefined) return;
            const segments = fakeSegments(stage, [text]);
            const { edits, findings } = await guard.check(segments, context(stage));
            assert.same(
              segments.map((segment) => editedText(segment, edits)),
              [scan.sanitized],
            );
            assert.same(
              scan.findings.length,
              findings.reduce((sum, { count }) => sum + count, 0),
              'as many findings from scan as from check',
            );
            for (const { start, end, score } of scan.findings) {
              assert.ok(
                0 <= start && start < end && end <= text.length,
                `a finding within 0 to ${text.length}`,
                `${start} to ${end}`,
              );
              assert.ok(0 <= score && score <= 1, 'a score from 0 to 1', score);
            }
          }
        }),
    },
  ];
}
