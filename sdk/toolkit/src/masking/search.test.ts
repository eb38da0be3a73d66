import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finder } from './finder.ts';
import type { Found } from './found.ts';
import { type Search, searchWith } from './search.ts';

/** A finder that finds nothing and holds back this many code units at the end of a text. Counts the code units that it receives from `from` on. */
function holding(rest: number): Finder & { searched: number } {
  return {
    context: 0,
    reach: rest,
    searched: 0,
    find(text, from) {
      this.searched += text.length - from;
      return [];
    },
    openFrom: (text, from) => Math.max(from, text.length - rest),
  };
}

function* cut(text: string, lengths: readonly number[]): Generator<string> {
  for (let at = 0, n = 0; at < text.length; n++) {
    const length = lengths[n % lengths.length] ?? 1;
    yield text.slice(at, at + length);
    at += length;
  }
}

function advanced(search: Search, text: string, ended: boolean): readonly Found[] {
  const found = search.advance(text, ended);
  if (found instanceof Promise) throw new Error('this finder answers at once');
  return found;
}

const TEXT = 'x'.repeat(8_000);

describe('a search in a text that comes in pieces', () => {
  test.each([1, 5, 20, 60].flatMap((piece) => [17, 48, 330, 2_049].map((rest) => [piece, rest] as const)))(
    'looks at each character a few times, in pieces of %i with a rest of %i',
    (piece, rest) => {
      const finder = holding(rest);
      const search = searchWith(finder);
      for (const text of cut(TEXT, [piece])) advanced(search, text, false);
      advanced(search, '', true);
      expect(search.certain).toBe(TEXT.length);
      expect(finder.searched).toBeLessThanOrEqual(6 * TEXT.length);
    },
  );

  test("returns the finder's results with each piece, if little stays open or much becomes certain", () => {
    const short = searchWith(holding(16));
    for (const end of [...TEXT.slice(0, 100)].keys()) {
      advanced(short, 'x', false);
      expect(short.certain).toBe(Math.max(0, end + 1 - 16));
    }
    const long = searchWith(holding(300));
    advanced(long, 'x'.repeat(400), false);
    expect(long.certain).toBe(100);
  });

  test('finds the same in pieces as in the whole text, however long the rest is', () => {
    // Finds runs of up to 120 letters. A run is open while it may continue.
    const runs: Finder = {
      context: 1,
      reach: 122,
      find: (text, from) =>
        [...text.matchAll(/(?<![a-z])[a-z]{2,120}(?![a-z])/g)].flatMap(({ index, 0: { length } }) =>
          index < from ? [] : [{ entity_type: 'RUN', start: index, end: index + length, score: 1 }],
        ),
      openFrom: (text, from) => Math.max(from, text.search(/[a-z]*$/)),
    };
    const run = fc.nat({ max: 150 }).map((length) => 'ab'.repeat(75).slice(0, length));
    const texts = fc
      .array(fc.tuple(run, fc.constantFrom(' ', '. ', '1')), { maxLength: 6 })
      .map((parts) => parts.flat().join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, lengths, (text, wanted) => {
        const search = searchWith(runs);
        const found = [...cut(text, wanted)].flatMap((piece) => advanced(search, piece, false));
        expect([...found, ...advanced(search, '', true)]).toEqual(runs.find(text, 0));
      }),
    );
  });
});
