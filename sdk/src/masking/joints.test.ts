import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPart, fromSpaced, isSplit, type Joint, jointsOf, piecesIn, replacementOf } from './joints.ts';

const partsOf = (texts: readonly string[], content = 'messages.0.content') =>
  texts.map((text, index) => ({
    index,
    text,
    kind: 'text' as const,
    role: 'user',
    path: `${content}.${index}.text`,
    choice: null,
  }));
const jointOf = (texts: readonly string[]): Joint => {
  const [joint] = jointsOf(partsOf(texts));
  if (joint === undefined) throw new Error('one part alone is no joint');
  return joint;
};
const finding = (start: number, end: number) => ({ entity_type: 'X', start, end, score: 1 });
const texts = fc.array(fc.string({ maxLength: 5 }), { minLength: 2, maxLength: 6 });

test('the text parts of one message are joined, whatever stands between them, and those of others are not', () => {
  const segments = [
    ...partsOf(['a', 'b']),
    { ...partsOf(['an image'])[0], kind: 'url' as const, path: 'messages.0.content.2.image_url.url' },
    { ...partsOf(['c'])[0], path: 'messages.0.content.3.text' },
    { ...partsOf(['name'])[0], path: 'messages.0.name' },
    ...partsOf(['alone'], 'messages.1.content'),
    ...partsOf(['d', 'e'], 'messages.2.content'),
  ].map((segment, index) => ({ ...partsOf([''])[0], ...segment, index })) as ReturnType<typeof partsOf>;
  expect(jointsOf(segments).map(({ orders, texts: joined }) => ({ orders, joined }))).toEqual([
    { orders: [0, 1, 3], joined: ['abc', 'a b c'] },
    { orders: [6, 7], joined: ['de', 'd e'] },
  ]);
});

test('a finding is told in pieces that together are what was found', () => {
  fc.assert(
    fc.property(texts, fc.nat(30), fc.integer({ min: 1, max: 30 }), (parts, from, length) => {
      const joint = jointOf(parts);
      const [tight, spaced] = joint.texts;
      const found = finding(Math.min(from, tight.length), Math.min(from + length, tight.length));
      if (found.start === found.end) return;
      const pieces = piecesIn(found, joint);
      const said = pieces.map(({ order, start, end }) => parts[order]?.slice(start, end));
      expect(said.join('')).toBe(tight.slice(found.start, found.end));
      expect(said).not.toContain('');
      expect(isSplit(found, joint)).toBe(pieces.length > 1);
      const apart = finding(Math.min(from, spaced.length), Math.min(from + length, spaced.length));
      if (apart.start === apart.end) return;
      const inTight = fromSpaced(apart, joint);
      // Letters alone, so that no space is one of the text's own.
      const letters = (text: string): string => text.replace(/\s/g, '');
      expect(letters(inTight === null ? '' : tight.slice(inTight.start, inTight.end))).toBe(
        letters(spaced.slice(apart.start, apart.end)),
      );
    }),
  );
});

test('a finding of a part stands at its place among all', () => {
  const joint = jointOf(['ab', '', 'cde']);
  expect(fromPart(finding(1, 3), joint, 2)).toEqual(finding(3, 5));
});

test('the first piece is replaced, and no part becomes empty', () => {
  const pieces = piecesIn(finding(1, 6), jointOf(['ab', 'cd', 'efg']));
  const written = pieces.map((piece, n) =>
    replacementOf(piece, n === 0, '<X>', { text: ['ab', 'cd', 'efg'][piece.order] ?? '' }),
  );
  expect(written).toEqual(['<X>', '<X>', '']);
});
