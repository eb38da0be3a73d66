import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { longestMatch } from './longest.ts';

const longest = (pattern: string): number => longestMatch(RE2JS.compile(pattern));

// With another release of re2js these say whether the compiled pattern still reads as before.
describe('the longest match', () => {
  test.each([
    ['a', 1],
    ['abc|de', 3],
    ['(?:a|bc)(d?)', 3],
    ['\\b\\d{4}-\\d{4}\\b', 9],
    ['(?i)wire(?:\\s{1,8}transfer)?', 20],
    ['a{3,7}?', 7],
    ['(?m)^#$', 1],
    ['(?:^)*a', Infinity],
    ['[a-z]', 1],
    ['[^a]', 2],
    ['\\pL\\p{Thai}', 3],
    ['.', 2],
    ['(?s).{3}', 6],
    ['😀a', 3],
    ['(?i)k\\x{10400}', 3],
    ['[a-z😀]{2}', 4],
    ['[^\\x00-\\x{10FFFF}]a', 0],
    ['(?:x{1000}){1}y?', 1001],
    ['a*', Infinity],
    ['a+b', Infinity],
    ['x(?:ab|c+)?y', Infinity],
    ['(?:a{2,}){2}', Infinity],
    ['(?s)a.*?b', Infinity],
  ])('of %s', (pattern, length) => {
    expect(longest(pattern)).toBe(length);
  });

  test('of a pattern that re2js compiles to something else is not known', () => {
    expect(longestMatch(RE2JS.compile('(?<=a)b', RE2JS.LOOKBEHINDS))).toBe(Infinity);
  });

  test('is counted by what folding case can lead to', () => {
    const basic = RE2JS.compile('(?i)[\\x{0}-\\x{ffff}]');
    const native = /[ -\uffff]/iu;
    const folded = Array.from({ length: 0x10_0000 }, (_, index) => String.fromCodePoint(0x1_0000 + index)).join('');
    expect([basic.test(folded), native.test(folded)]).toEqual([false, false]);
  });
});
