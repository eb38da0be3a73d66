import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textBatches } from './batches.ts';

const segmentsOf = (texts: readonly string[]) =>
  texts.map(
    (text, index) =>
      ({
        index,
        text,
        kind: 'text',
        role: 'user',
        path: `messages.${index}.content`,
        choice: null,
        origin: 'user',
        untrusted: false,
      }) as const,
  );
/** Letters and pairs, but no line feed, because line feeds separate texts. */
const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 40 }), { maxLength: 12 });
const limits = fc.record({ most: fc.integer({ min: 8, max: 30 }), overlap: fc.integer({ min: 0, max: 3 }) });

it('every text is in a batch, no batch is longer than allowed, and no pair is split', () => {
  fc.assert(
    fc.property(texts, limits, (given, { most, overlap }) => {
      const seen = given.map((text) => Array.from({ length: text.length }, () => false));
      for (const { text, piecesOf } of textBatches(segmentsOf(given), most, overlap)) {
        expect(text.length).toBeLessThanOrEqual(most);
        for (const { segment, start, end } of piecesOf(0, text.length)) {
          expect(given[segment]?.slice(start, end).isWellFormed()).toBe(true);
          seen[segment]?.fill(true, start, end);
        }
      }
      expect(seen.flat()).not.toContain(false);
    }),
  );
});

it('a text up to the length of the overlap is whole in a batch', () => {
  fc.assert(
    fc.property(texts, limits, fc.nat(40), (given, { most, overlap }, at) => {
      const batches = textBatches(segmentsOf(given), most, overlap);
      for (const text of given) {
        const part = text.slice(at, at + overlap);
        expect(batches.some((batch) => batch.text.includes(part)) || text === '').toBe(true);
      }
    }),
  );
});

it('a range of a batch gives the pieces of the texts that it covers', () => {
  fc.assert(
    fc.property(texts, limits, fc.nat(30), fc.nat(30), (given, { most, overlap }, from, length) => {
      for (const { text, piecesOf } of textBatches(segmentsOf(given), most, overlap)) {
        const pieces = piecesOf(from, from + length).map(({ segment, start, end }) => given[segment]?.slice(start, end));
        expect(pieces.join('')).toBe(text.slice(from, from + length).replaceAll('\n', ''));
        expect(pieces).not.toContain('');
      }
    }),
  );
});
