import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { patternShape } from './pattern-shape.ts';

describe('the longest match', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['abc|de', 3],
    ['de|abc|', 3],
    ['(?:a|bc)(d?)', 3],
    ['(a)b|c', 2],
    ['\\b\\d{4}-\\d{4}\\b', 9],
    ['(?i)wire(?:\\s{1,8}transfer)?', 20],
    ['a{3,7}?', 7],
    ['(?:a{3,7}?){2}', 14],
    ['(?m)^#$', 1],
    ['(?:^)*a', Infinity],
    ['[a-z]', 1],
    ['[^a]', 2],
    ['.', 2],
    ['(?s).{3}', 6],
    ['😀a', 3],
    ['(?i)k\\x{10400}', 3],
    ['\\x{00FFFF}\\x{010000}', 3],
    ['[a-z😀]{2}', 4],
    ['[\\x{10000}-\\x{10FFFF}]', 2],
    ['[]a][^]a][\\]a][a[]', 5],
    ['[[:alpha:]a]{2}', 2],
    ['[+-[:alpha:]{2}', 2],
    ['[]-a]{2}[\\d-[:alpha:]]', 3],
    ['[[:^alpha:]]', 2],
    ['\\d\\s\\w\\D\\S\\W', 9],
    ['\\(\\?\\*\\+\\{2\\}', 7],
    ['\\x41\\101\\08\\n', 5],
    ['\\Aa\\Bb\\z', 2],
    ['(?:x{1000}){1}y?', 1001],
    ['a{,3}', 5],
    ['a{01}', 5],
    ['a{2', 3],
    ['a{0}b', 1],
    ['(?:a*){0}b', 1],
    ['a(?i){3}', 3],
    ['(?P<n>a)(?<m>b)(?-i:c)(?U)d(?)', 4],
    ['\\Q(a*)\\E{2}', 5],
    ['\\Qa+', 2],
    ['a\\Q\\E{3}', 3],
    ['a*', Infinity],
    ['a+b', Infinity],
    ['x(?:ab|c+)?y', Infinity],
    ['(?:a{2,}){2}', Infinity],
    ['(?s)a.*?b', Infinity],
  ])('of %s', (pattern, length) => {
    expect(RE2JS.compile(pattern)).toBeDefined();
    expect(patternShape(pattern).longest).toBe(length);
  });

  test.each([
    ['[^\\x00-\\x{10FFFF}]a', 3],
    ['\\pL\\p{Thai}', 4],
  ])('of %s is not known as exactly', (pattern, bound) => {
    expect(patternShape(pattern).longest).toBe(bound);
  });

  test('equals the length of the longest match', () => {
    fc.assert(
      fc.property(matched, ({ pattern, text }) => {
        expect(RE2JS.compile(pattern).testExact(text)).toBe(true);
        expect(patternShape(pattern).longest).toBe(text.length);
      }),
    );
  });

  test('is counted by what folding case can lead to', () => {
    const basic = RE2JS.compile('(?i)[\\x{0}-\\x{ffff}]');
    const native = /[ -\uffff]/iu;
    const folded = Array.from({ length: 0x10_0000 }, (_, index) => String.fromCodePoint(0x1_0000 + index)).join('');
    expect([basic.test(folded), native.test(folded)]).toEqual([false, false]);
  });
});

interface Matched {
  readonly pattern: string;
  /** One of the longest texts that the pattern matches. */
  readonly text: string;
}

const character = fc
  .constantFrom(
    'a a',
    '\\d 7',
    '. 😀',
    '[^a] 😀',
    '[a-z] q',
    '[]^] ]',
    '[\\]x] ]',
    '\\x{1F600} 😀',
    '\\. .',
    '\\( (',
    '{ {',
    '\\pL 𝐀',
  )
  .map((pair) => ({ pattern: pair.slice(0, pair.indexOf(' ')), text: pair.slice(pair.indexOf(' ') + 1) }));

const { matched } = fc.letrec<{ matched: Matched; part: Matched }>((tie) => ({
  matched: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    character,
    fc.tuple(tie('part'), fc.constantFrom('', '(?i)', '\\B', '\\Q\\E')).map(([{ pattern, text }, none]) => {
      return { pattern: none === '\\B' ? `(?:${none})?${pattern}` : none + pattern, text };
    }),
    fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => ({
      pattern: parts.map(({ pattern }) => pattern).join(''),
      text: parts.map(({ text }) => text).join(''),
    })),
    fc.tuple(tie('part'), tie('part')).map(([one, other]) => ({
      pattern: `${one.pattern}|${other.pattern}`,
      text: one.text.length < other.text.length ? other.text : one.text,
    })),
    fc.tuple(tie('part'), fc.constantFrom('?', '??', '{2}', '{0,3}', '{1,3}?')).map(([{ pattern, text }, repetition]) => {
      return { pattern: pattern + repetition, text: text.repeat(Number(/\d(?=\})/.exec(repetition)?.[0] ?? 1)) };
    }),
  ),
  part: fc.tuple(fc.constantFrom('(', '(?:', '(?s-i:'), tie('matched')).map(([open, { pattern, text }]) => {
    return { pattern: `${open}${pattern})`, text };
  }),
}));
