import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyOf } from './any-of.ts';
import { lengthMatcher } from './length.ts';
import { patternMatcher } from './pattern.ts';
import { spans } from './spans.ts';
import { wordsMatcher } from './words.ts';

const matchers = [
  patternMatcher('\\ba{2}\\b'),
  patternMatcher('(?i)b c+$'),
  patternMatcher('(?m)^c.*a', 3),
  wordsMatcher(['ab', 'C a']),
  lengthMatcher(12),
];
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'C', ' ', '\n', '😀'), maxLength: 16 });

describe('any of some matchers', () => {
  test('may find something wherever one of them does', () => {
    fc.assert(
      fc.property(fc.subarray(matchers), text, (some, whole) => {
        const found = some.some((matcher) => spans(matcher, whole).length > 0);
        expect(anyOf(some)(whole) || !found).toBe(true);
      }),
    );
  });

  test('rejects a text without a match', () => {
    const exact = [patternMatcher('\\d{4}'), patternMatcher('(?i)phoenix'), wordsMatcher(['SWIFT']), lengthMatcher(50)];
    expect(anyOf(exact)('an ordinary text, 123 and swiftly')).toBe(false);
    for (const matching of ['1234', 'a Phoenix', 'by swift.', 'x'.repeat(51)]) expect(anyOf(exact)(matching)).toBe(true);
    expect(anyOf([])('1234')).toBe(false);
  });
});
