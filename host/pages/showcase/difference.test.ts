import fc from 'fast-check';
import { expect, it } from 'vitest';
import { difference, type Piece } from './difference.ts';

const joined = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');
const kept = (pieces: readonly Piece[]) => joined(pieces.filter(({ changed }) => !changed));
const changed = (pieces: readonly Piece[]) => pieces.filter((piece) => piece.changed).map(({ text }) => text.trim());

it('marks what was removed and what replaced it', () => {
  const { before, after } = difference('my card 4111 1111, is mine', 'my card <CARD_1>, is mine');
  expect(changed(before)).toEqual(['4111 1111']);
  expect(changed(after)).toEqual(['<CARD_1>']);
});

it('loses nothing of either text, and keeps what both share', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '.', '!'), { maxLength: 40 }).map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (one, two) => {
      const { before, after } = difference(one, two);
      expect([joined(before), joined(after)]).toEqual([one, two]);
      expect(kept(before)).toBe(kept(after));
    }),
  );
});

it('does not compare long texts', () => {
  const long = 'word '.repeat(2000);
  expect(difference(long, 'x').before).toEqual([{ text: long, changed: false }]);
});
