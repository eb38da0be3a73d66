import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ADDRESS_OR_LONG_WORD, breakable } from './breakable.ts';

it('the joined pieces are the text, and no character is split', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '@', ' ', '\n', '😀', 'é', 'e\u0301', '👩\u200D👧', '\uFE0F'),
    maxLength: 2000,
  });
  fc.assert(
    fc.property(text, (whole) => {
      for (const pieces of [breakable(whole), breakable(whole, ADDRESS_OR_LONG_WORD)]) {
        expect(pieces.join('')).toBe(whole);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }
    }),
  );
});

it('splits long words and no others', () => {
  expect(breakable('')).toEqual(['']);
  expect(breakable('a hundred words '.repeat(100))).toHaveLength(1);
  expect(breakable('x'.repeat(1000)).map(({ length }) => length)).toEqual(Array(10).fill(100));
});

it('allows a break before the domain of an address if requested', () => {
  expect(breakable('to maria.lopez@example.org.')).toHaveLength(1);
  expect(breakable('to maria.lopez@example.org.', ADDRESS_OR_LONG_WORD)).toEqual(['to maria.lopez@', 'example.org.']);
  expect(breakable('x'.repeat(1000), ADDRESS_OR_LONG_WORD)).toHaveLength(10);
  expect(breakable('a@'.repeat(500), ADDRESS_OR_LONG_WORD).length).toBeLessThan(120);
});
