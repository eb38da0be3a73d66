import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Hit, mergedEdits } from './edits.ts';

const hit = (start: number, end: number, order: number): Hit => ({ start, end, order, replacement: `<${order}>` });
const merged = (...hits: Hit[]) => mergedEdits(hits).map(({ start, end, replacement }) => [start, end, replacement]);

describe('merged edits', () => {
  test('prefer the leftmost, then the longest, then the first rule', () => {
    expect(merged(hit(5, 6, 0), hit(0, 1, 1))).toEqual([
      [0, 1, '<1>'],
      [5, 6, '<0>'],
    ]);
    expect(merged(hit(0, 3, 0), hit(0, 9, 1))).toEqual([[0, 9, '<1>']]);
    expect(merged(hit(0, 3, 1), hit(0, 3, 0))).toEqual([[0, 3, '<0>']]);
  });

  test('also replace the rest of a match that lost', () => {
    expect(merged(hit(0, 4, 0), hit(2, 6, 1), hit(3, 8, 2))).toEqual([
      [0, 4, '<0>'],
      [4, 6, '<1>'],
      [6, 8, '<2>'],
    ]);
  });

  const hits = fc.array(
    fc
      .tuple(fc.nat(18), fc.integer({ min: 1, max: 6 }), fc.nat(3))
      .map(([start, length, order]) => hit(start, start + length, order)),
  );
  const text = 'abcdefghijklmnopqrstuvwxyz';

  test('do not overlap, and cover exactly what was found', () => {
    fc.assert(
      fc.property(hits, (all) => {
        const covered = new Set(
          all.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)),
        );
        const replaced = mergedEdits(all).flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, index) => start + index),
        );
        expect(replaced).toEqual([...covered].toSorted((a, b) => a - b));
      }),
    );
  });

  test('of a text in parts are those of the whole', () => {
    fc.assert(
      fc.property(hits, fc.nat(20), (all, at) => {
        const first = mergedEdits(all.filter(({ start }) => start < at));
        const rest = all.filter(({ start }) => start >= at);
        expect([...first, ...mergedEdits(rest, first.at(-1)?.end)]).toEqual(mergedEdits(all));
      }),
    );
  });

  test('give the same text as replacing from left to right', () => {
    fc.assert(
      fc.property(hits, (all) => {
        expect(applied(text, all)).toBe(readingLeftToRight(text, all));
      }),
    );
  });

  function applied(source: string, all: Hit[]): string {
    return mergedEdits(all).reduceRight(
      (done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end),
      source,
    );
  }

  /** The expected result, character by character: for each place, the best claim is replaced in full. */
  function readingLeftToRight(source: string, all: Hit[]): string {
    let result = '';
    for (let at = 0; at < source.length; ) {
      const claims = all.filter(({ start, end }) => start <= at && at < end);
      const [best] = claims.toSorted((a, b) => a.start - b.start || b.end - a.end || a.order - b.order);
      result += best?.replacement ?? source[at];
      at = best?.end ?? at + 1;
    }
    return result;
  }
});
