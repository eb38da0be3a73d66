import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PatternError, patternMatcher } from './pattern.ts';
import { spans } from './spans.ts';

const found = (pattern: string, text: string) =>
  spans(patternMatcher(pattern), text).map(({ start, end }) => text.slice(start, end));

describe('the pattern matcher', () => {
  test('finds all places, from left to right', () => {
    expect(found('a+', 'aab a caaa')).toEqual(['aa', 'a', 'aaa']);
    expect(found('(?i)wire', 'WIRE wire')).toEqual(['WIRE', 'wire']);
    expect(found('x', 'none')).toEqual([]);
  });

  test('skips empty matches that a check at the start cannot predict', () => {
    expect(found('[a\\n ]|(?m:^)\\b', 'b a')).toEqual([' ', 'a']);
  });

  test.each([
    ['x', '😀x👩‍💻x', [2, 8]],
    ['\\p{So}', 'a😀b😀', [1, 4]],
    ['😀', '😀😀', [0, 2]],
    ['[^a]b', '😀b', [0]],
    ['b$', '😀\n😀b', [5]],
  ])('counts %s in %j in UTF-16 code units', (pattern, text, starts) => {
    expect(spans(patternMatcher(pattern), text).map(({ start }) => start)).toEqual(starts);
  });

  test.each([
    ['(abc', 'missing closing )'],
    ['a(?=b)', '`(?=` at character 2'],
    ['(a)\\1', '`\\1` at character 4'],
    ['abc\\', 'at character 4'],
    ['[z-a]', 'z-a'],
  ])('refuses %s and names the position', (pattern, part) => {
    expect(() => patternMatcher(pattern)).toThrow(PatternError);
    expect(() => patternMatcher(pattern)).toThrow(part);
  });

  test.each([
    'a*',
    '^',
    '$',
    '\\b',
    '\\B',
    '(?m)^',
    '(?m)$',
    '\\bfoo|\\b',
    'a?b?',
    '()',
    '(?:)|a',
    '\\z',
    '\\A\\s*',
    '(?m)^\\s*$',
  ])('refuses %s, which also matches nothing', (pattern) => {
    expect(() => patternMatcher(pattern)).toThrow(PatternError);
  });

  test.each(['\\bfoo\\b', '^a', 'a$', '(?m)^#.*$', '\\s+', '.', '(?s).+', '\\n'])('accepts %s', (pattern) => {
    expect(() => patternMatcher(pattern)).not.toThrow();
  });

  test('agrees with RegExp on any text', () => {
    const patterns = ['[a-c]+', 'a.c', '(?:ab|a)(?:c|bcd)', '\\d{2,3}-?', '[^a ]', '\\p{L}+\\s', 'a+?b'];
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', '1', '-', ' ', 'é', '😀', '\n', '\ud83d') });
    fc.assert(
      fc.property(fc.constantFrom(...patterns), texts, (pattern, text) => {
        const native = [...text.matchAll(new RegExp(pattern, 'gu'))].map(({ index, 0: match }) => [index, index + match.length]);
        expect(spans(patternMatcher(pattern), text).map(({ start, end }) => [start, end])).toEqual(native);
      }),
    );
  });
});
