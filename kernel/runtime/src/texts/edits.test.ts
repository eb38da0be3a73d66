import { type Edit, finished, type Segment } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editedTexts } from './edits.ts';

const segment = (text: string): Segment => ({
  index: 0,
  text,
  kind: 'text',
  path: 'p',
  role: null,
  choice: null,
  origin: 'user',
  untrusted: false,
});
const edit = (start: number, end: number, replacement: string) => ({ segment: 0, start, end, replacement });
const edited = (edits: readonly unknown[], text: string) => finished(editedTexts(edits, [segment(text)]))?.get(0);

it('edits replace spans by offset, in any order', () => {
  expect(edited([edit(8, 11, '<P>'), edit(0, 4, 'ring')], 'call 😀 Bob now')).toBe('ring 😀 <P> now');
});

it('edits of several segments may come in any order', () => {
  const edits = [1, 0, 1, 0].map((segment, n) => ({ ...edit(n, n + 1, `${n}`), segment }));
  expect(finished(editedTexts(edits.toReversed(), [segment('abcd'), segment('efgh')]))).toEqual(
    new Map([
      [0, 'a1c3'],
      [1, '0f2h'],
    ]),
  );
});

it.each([
  ['overlap', [edit(0, 3, ''), edit(2, 4, '')]],
  ['an end past the text', [edit(0, 99, '')]],
  ['a start after its end', [edit(3, 2, '')]],
  ['half a surrogate pair', [edit(6, 7, '')]],
  ['an ill-formed replacement', [edit(0, 1, '\ud800')]],
  ['an unknown segment', [{ ...edit(0, 1, ''), segment: 1 }]],
])('refuses %s', (_what, edits) => {
  expect(edited(edits, 'call 😀 Bob now')).toBeUndefined();
});

it('many edits are applied in many steps, with the same result as one by one', () => {
  const gaps = fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.string({ maxLength: 3 })), { minLength: 3_000, maxLength: 3_000 });
  fc.assert(
    fc.property(gaps, (spans) => {
      let at = 0;
      const edits = spans.map(([gap, length, replacement]): Edit => {
        const start = at + gap;
        at = start + length;
        return edit(start, at, replacement);
      });
      const text = 'abcdefgh'.repeat(Math.ceil(at / 8));
      const onebyone = edits.reduceRight(
        (done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end),
        text,
      );
      const steps = editedTexts(edits, [segment(text)]);
      let count = 0;
      let step = steps.next();
      for (; !step.done; step = steps.next()) count += 1;
      expect(step.value?.get(0)).toBe(onebyone);
      // Reading the edits must yield, and so must applying them.
      expect(count).toBeGreaterThan(2 * (edits.length / 512 - 1));
    }),
    { numRuns: 20 },
  );
});

it('later changes to its edits by a guard have no effect', () => {
  const edits = Array.from({ length: 2_000 }, (_, n) => edit(n, n + 1, 'x'));
  const steps = editedTexts(edits, [segment('a'.repeat(2_000))]);
  steps.next();
  Object.assign(edits[0] as Edit, edit(0, 2_000, '\ud800'));
  expect(finished(steps)?.get(0)).toBe('x'.repeat(2_000));
});
