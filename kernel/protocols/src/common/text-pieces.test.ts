import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextPieces } from './text-pieces.ts';

/** Any text, including ill-formed ones, from code units that are often surrogates. */
const anyText = fc
  .array(fc.oneof(fc.constantFrom(0xd83d, 0xdc69, 0xdbff, 0xdc00, 0x61), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));

function cut(text: string, at: readonly number[]): string[] {
  const edges = [0, ...at.map((edge) => edge % (text.length + 1)).sort((a, b) => a - b), text.length];
  return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
}

test('pieces of a text, wherever it is cut, are well-formed and join to that text', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat()), (text, at) => {
      const pieces = new TextPieces();
      const out = [...cut(text, at).map((piece) => pieces.push('a', piece)), pieces.end('a')];
      expect(out.every((piece) => piece.isWellFormed())).toBe(true);
      expect(out.join('')).toBe(text.toWellFormed());
    }),
  );
});

test('texts are kept separate', () => {
  const pieces = new TextPieces();
  expect(pieces.push('a', 'x\ud83d')).toBe('x');
  expect(pieces.push('b', '\udc69')).toBe('\uFFFD');
  expect(pieces.push('a', '\udc69')).toBe('👩');
  expect([pieces.end('a'), pieces.end('b')]).toEqual(['', '']);
});
