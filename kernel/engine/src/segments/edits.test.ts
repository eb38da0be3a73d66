import type { Segment } from '@svc/contracts';
import { expect, it } from 'vitest';
import { applyEdits, editsAreValid } from './edits.ts';

const segment = (text: string): Segment => ({ index: 0, text, kind: 'text', path: 'p', role: null, choice: null });
const edit = (start: number, end: number, replacement: string) => ({ segment: 0, start, end, replacement });

it('edits replace spans by offset, in any order', () => {
  const edits = [edit(8, 11, '<P>'), edit(0, 4, 'ring')];
  expect(applyEdits(edits, [segment('call 😀 Bob now')]).get(0)).toBe('ring 😀 <P> now');
});

it.each([
  ['overlap', [edit(0, 3, ''), edit(2, 4, '')]],
  ['an end past the text', [edit(0, 99, '')]],
  ['a start after its end', [edit(3, 2, '')]],
  ['half a surrogate pair', [edit(6, 7, '')]],
  ['an ill-formed replacement', [edit(0, 1, '\ud800')]],
  ['an unknown segment', [{ ...edit(0, 1, ''), segment: 1 }]],
])('refuses %s', (_what, edits) => {
  expect(editsAreValid(edits, [segment('call 😀 Bob now')])).toBe(false);
});
