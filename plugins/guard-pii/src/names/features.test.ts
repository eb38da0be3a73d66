import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BEHIND, featuresOf, MAX_FEATURES } from './features.ts';
import { model } from './model.ts';
import { BREAK, tokensOf } from './tokens.ts';

const word = fc.constantFrom(
  'Maria',
  'the',
  'New',
  'York',
  'de',
  'la',
  ',',
  '42',
  'reports',
  'J.',
  'Wolfeschlegelsteinhausenberg',
  '\n',
);
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));

function features(text: string, at: number): number[] {
  const into = new Int32Array(MAX_FEATURES);
  return [...into.subarray(0, featuresOf(text, tokensOf(text), at, model().lists, into))];
}

test.each([0, 1, 2])('features that rest on %i tokens behind a word stay the same whatever comes after these', (seen) => {
  fc.assert(
    fc.property(words, fc.nat(), words, words, (text, place, one, other) => {
      const tokens = tokensOf(text);
      const at = place % tokens.length;
      const last = tokens[at + seen];
      // With more space, it would become a different kind of break.
      fc.pre(last !== undefined && last.kind !== BREAK);
      const known = text.slice(0, last.end);
      const [a, b] = [features(`${known} ${one}`, at), features(`${known} ${other}`, at)];
      for (const [feature, bucket] of a.entries()) if ((BEHIND[feature] ?? 0) <= seen) expect(b[feature]).toBe(bucket);
    }),
  );
});
