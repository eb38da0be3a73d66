import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Found } from './found.ts';
import { MAX_WEIGHED, Overlaps, withoutOverlaps } from './overlaps.ts';

const at = (start: number, end: number, score: number, entity_type = 'A'): Found => ({ entity_type, start, end, score });

describe('of findings that overlap', () => {
  test.each<[string, Found[], Found[]]>([
    ['the surest stands', [at(0, 9, 0.5), at(0, 9, 0.8, 'B')], [at(0, 9, 0.8, 'B')]],
    ['the longest stands where both are as sure', [at(2, 5, 0.5), at(0, 9, 0.5, 'B')], [at(0, 9, 0.5, 'B')]],
    ['the loser keeps what sticks out', [at(0, 9, 0.5), at(5, 12, 0.8, 'B')], [at(0, 5, 0.5), at(5, 12, 0.8, 'B')]],
    ['the loser keeps both sides', [at(0, 9, 0.5), at(2, 4, 0.8, 'B')], [at(0, 2, 0.5), at(2, 4, 0.8, 'B'), at(4, 9, 0.5)]],
    ['a bracket is not worth keeping', [at(0, 9, 0.5), at(1, 9, 0.8, 'B')], [at(1, 9, 0.8, 'B')]],
    ['neighbours both stand', [at(0, 5, 0.5), at(5, 9, 0.8)], [at(0, 5, 0.5), at(5, 9, 0.8)]],
  ])('%s', (_, found, stands) => {
    expect(withoutOverlaps(found, 20)).toEqual(stands);
    expect(withoutOverlaps(found.toReversed(), 20)).toEqual(stands);
  });

  const findings = fc.array(
    fc.record({
      entity_type: fc.constantFrom('A', 'B'),
      start: fc.nat(2000),
      length: fc.integer({ min: 1, max: 300 }),
      score: fc.constantFrom(0.4, 0.5, 1),
    }),
    { maxLength: 60 },
  );
  const made = (list: { entity_type: string; start: number; length: number; score: number }[]): Found[] =>
    list.map(({ length, ...rest }) => ({ ...rest, end: rest.start + length }));

  test('almost no part remains unmasked, and no findings overlap', () => {
    fc.assert(
      fc.property(findings.map(made), (found) => {
        const stands = withoutOverlaps(found, 3000);
        for (const [index, { start }] of stands.entries()) expect(start).toBeGreaterThanOrEqual(stands[index - 1]?.end ?? 0);
        for (const { start, end } of found) {
          let bare = 0;
          for (let place = start; place < end; place++)
            if (!stands.some((other) => other.start <= place && place < other.end)) bare += 1;
          // Single characters between other findings.
          expect(bare).toBeLessThanOrEqual(stands.length + 1);
        }
      }),
    );
  });

  test('the same findings win however they become known, and none waits for more than one group', () => {
    fc.assert(
      fc.property(findings.map(made), fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (found, steps) => {
        const overlaps = new Overlaps();
        const stands: Found[] = [];
        for (let known = 0, turn = 0; known < 3000; turn++) {
          const next = Math.min(3000, known + (steps[turn % steps.length] ?? 1));
          const from = known;
          const settled = overlaps.settle(
            found.filter(({ start }) => start >= from && start < next),
            next,
          );
          stands.push(...settled.found);
          expect(next - settled.until).toBeLessThanOrEqual(MAX_WEIGHED);
          known = next;
        }
        expect(stands).toEqual(withoutOverlaps(found, 3000));
      }),
    );
  });
});
