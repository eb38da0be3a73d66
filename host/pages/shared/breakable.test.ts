import fc from 'fast-check';
import { expect, it } from 'vitest';
import { breakable } from './breakable.ts';

it('joined, the pieces are the text, and no character is cut in two', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '😀', 'é', 'e\u0301', '👩\u200D👧', '\uFE0F'),
    maxLength: 2000,
  });
  fc.assert(
    fc.property(text, (whole) => {
      const pieces = breakable(whole);
      expect(pieces.join('')).toBe(whole);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});

it('cuts long words and no others', () => {
  expect(breakable('')).toEqual(['']);
  expect(breakable('a hundred words '.repeat(100))).toHaveLength(1);
  expect(breakable('x'.repeat(1000)).map(({ length }) => length)).toEqual(Array(10).fill(100));
});
