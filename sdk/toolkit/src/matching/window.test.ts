import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Matcher } from './matcher.ts';
import { PatternError, patternMatcher } from './pattern.ts';
import { spans } from './spans.ts';
import { wordsMatcher } from './words.ts';

const unit = fc.constantFrom(
  'a',
  'b',
  'A',
  '1',
  '2',
  '-',
  ' ',
  '\n',
  'é',
  'e\u0301',
  'ſ',
  'K',
  '😀',
  '👩‍💻',
  '\ud83d',
  '\ude00',
  '机',
);
const fragment = fc.oneof(
  { weight: 3, arbitrary: unit },
  { weight: 1, arbitrary: fc.constantFrom('aab', '12-21', 'a b', 'aaaaaaaa') },
);
const text = fc.array(fragment, { maxLength: 60 }).map((fragments) => fragments.join(''));
const cuts = fc.array(fc.nat(80), { maxLength: 8 });

/** Cuts a text anywhere, including inside surrogate pairs, and inserts empty parts. */
function parted(whole: string, places: readonly number[]): string[] {
  const ends = [...places.toSorted((a, b) => a - b), whole.length];
  return ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
}

const atom = fc.constantFrom(
  'a',
  'b',
  '1',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\s',
  '.',
  '(?s:.)',
  '\\p{So}',
  '\\pL',
  '😀',
  '\\x{d83d}',
  'é',
);
const assertion = fc.constantFrom('\\b', '\\B', '^', '$', '(?m:^)', '(?m:$)', '\\A', '\\z');
const repeat = fc.constantFrom('', '', '', '?', '??', '{2}', '{1,3}', '{1,3}?', '{0,20}');
const endless = fc.constantFrom('*', '+', '+?', '{2,}');

/** Random RE2 patterns. `repeats`: also with repetitions. */
function patterns(repeats: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small' },
      { weight: 4, arbitrary: fc.tuple(atom, repeats).map((both) => both.join('')) },
      { weight: 1, arbitrary: assertion },
      { weight: 1, arbitrary: fc.tuple(tie('pattern'), repeats).map(([inner, often]) => `(?:${inner})${often}`) },
    ),
    pattern: fc
      .array(fc.array(tie('part'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((branches) => branches.map((branch) => branch.join('')).join('|')),
  }));
  return fc.tuple(fc.constantFrom('', '(?i)'), pattern).map((both) => both.join(''));
}

/** Null for a pattern that also matches the empty text. */
function matcherOf(pattern: string, maxMatch?: number) {
  try {
    return patternMatcher(pattern, maxMatch);
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
}

/** A single RE2 search of the whole text. */
function wholeSearch(pattern: string, whole: string): { start: number; end: number }[] {
  const matcher = RE2JS.compile(pattern).matcher(whole);
  const found = [];
  while (matcher.find()) if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end() });
  return found;
}

describe('a text in parts', () => {
  test('has the same matches as the whole, for any pattern with a bound', () => {
    fc.assert(
      fc.property(patterns(repeat), text, cuts, (pattern, whole, places) => {
        const matcher = matcherOf(pattern);
        fc.pre(matcher !== null);
        expect(matcher.streams).toBe(true);
        expect(spans(matcher, ...parted(whole, places))).toEqual(wholeSearch(pattern, whole));
      }),
    );
  });

  const large = fc.constantFrom('(?:[a-z]{1,90} ?){1,10}Q', '\\pL{20,900}!', '(?:[a-z😀]{1,200} ?){1,5}(?:end|END)\\b');
  const longer = fc
    .array(fc.constantFrom('a', 'abcdefghij', ' ', 'é', '😀', '\ud83d', 'Q', '!', 'end', 'aaaaaaaaaaaaaaaaaaaaaaaaa'), {
      maxLength: 60,
    })
    .map((fragments) => fragments.join(''));

  test('has the same matches as the whole text for a large pattern', () => {
    fc.assert(
      fc.property(large, longer, fc.array(fc.nat(600), { maxLength: 12 }), (pattern, whole, places) => {
        expect(spans(patternMatcher(pattern), ...parted(whole, places))).toEqual(wholeSearch(pattern, whole));
      }),
    );
  });

  test('is tested in short parts if the pattern is large', () => {
    const asked = vi.spyOn(RE2JS.prototype, 'test');
    onTestFinished(() => asked.mockRestore());
    spans(patternMatcher('(?:[a-z]{1,90} ?){1,10}Q'), ...Array.from({ length: 60 }, () => 'a'.repeat(20)));
    const streamed = asked.mock.calls.filter((_, index) => (asked.mock.contexts[index] as RE2JS).programSize() > 2000);
    expect(streamed.length).toBeGreaterThan(10);
    for (const [question] of streamed) expect(String(question).length).toBeLessThan(50);
  });

  test('has the same words as the whole', () => {
    const word = fc.constantFrom('a', 'ab', 'a b', 'aa a', '1-2', '12-21', '😀', '😀a', 'é', 'e\u0301a', 'ſ', 'k', '机', 'a👩‍💻');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), text, cuts, (words, whole, places) => {
        const matcher = wordsMatcher(words);
        expect(spans(matcher, ...parted(whole, places))).toEqual(spans(matcher, whole));
      }),
    );
  });

  test('has the same matches as the whole text with max_match', () => {
    fc.assert(
      fc.property(patterns(endless), fc.integer({ min: 1, max: 9 }), text, cuts, (pattern, maxMatch, whole, places) => {
        const matcher = matcherOf(pattern, maxMatch);
        fc.pre(matcher !== null);
        const found = spans(matcher, whole);
        expect(spans(matcher, ...parted(whole, places))).toEqual(found);
        for (const { start, end } of found) expect([halves(whole, start), halves(whole, end)]).toEqual([false, false]);
      }),
    );
  });
});

describe('max_match', () => {
  test('finds every match up to that length', () => {
    fc.assert(
      fc.property(patterns(endless), fc.integer({ min: 1, max: 9 }), text, (pattern, maxMatch, whole) => {
        const matcher = matcherOf(pattern, maxMatch);
        fc.pre(matcher !== null && longestAnywhere(pattern, whole) <= maxMatch);
        const found = covered(spans(matcher, whole));
        for (const offset of covered(wholeSearch(pattern, whole))) expect(found).toContain(offset);
      }),
    );
  });

  test.each([
    ['\\d+', 4, '1'.repeat(30), 30],
    ['\\d+', 16, '1'.repeat(40), 40],
    ['BEGIN.*END', 16, `BEGIN${'-'.repeat(200)}END`, 0],
    ['x\\d+', 4, `x${'1'.repeat(30)}`, 10],
    ['x\\d+y', 4, `x${'1'.repeat(30)}y`, 0],
  ])('finds %s with %i in pieces, or not: %s', (pattern, maxMatch, whole, length) => {
    expect(covered(spans(patternMatcher(pattern, maxMatch), whole)).size).toBe(length);
  });

  test('finds a match across the end of text that only seemed to match', () => {
    const whole = 'x-------1234\nand more';
    expect(covered(spans(patternMatcher('x.*$|1234', 4), whole))).toContain(whole.indexOf('4'));
  });

  test('changes nothing if the pattern has a lower bound', () => {
    expect(spans(patternMatcher('\\d{2,4}', 4), '12345 1')).toEqual([{ start: 0, end: 4 }]);
  });
});

describe('the text that is held back', () => {
  const account = '\\b\\d{4}-\\d{4}\\b';
  const heldFrom = (matcher: Matcher, text: string): string => {
    const search = matcher.search();
    for (const _ of search.advance(text, false));
    return text.slice(search.at);
  };

  test.each([
    [account, 'call me now', ''],
    [account, 'call 12', '12'],
    [account, 'call 1234-5678', '1234-5678'],
    [account, 'call 1234-5678 ', ''],
    [account, 'call 12345', ''],
    ['(?i)wire\\s{1,8}transfer', 'a Wire \n T', 'Wire \n T'],
    ['(?i)wire\\s{1,8}transfer', 'a wired t', ''],
    ['abc|cd', 'xab', 'ab'],
    ['abc|cd', 'xabc', ''],
    ['a{2,3}', 'xaa', 'aa'],
    ['(?m)^#.{1,9}$', 'a # b\n# c', '# c'],
    ['(?s:b.)\\Q.\\E', 'ab\n', 'b\n'],
    ['x😀', 'ax\ud83d', 'x\ud83d'],
  ])('by %s: %j', (pattern, text, held) => {
    expect(heldFrom(patternMatcher(pattern), text)).toBe(held);
  });

  test.each([
    ['\\b[A-Z]{2,5}-\\d+\\b', 'see the page', ''],
    ['\\b[A-Z]{2,5}-\\d+\\b', 'see ABC-12', 'ABC-12'],
    ['BEGIN.*END', 'we BEGAN BEG', 'BEG'],
  ])('by %s, which max_match bounds: %j', (pattern, text, held) => {
    expect(heldFrom(patternMatcher(pattern, 64), text)).toBe(held);
  });

  test.each([
    ['by wire and', ''],
    ['by wire  tr', 'wire  tr'],
    ['by wire transfer', 'wire transfer'],
    ['by wire transfers', ''],
    ['rewire', ''],
    ['C+', 'C+'],
  ])('by words: %j', (text, held) => {
    expect(heldFrom(wordsMatcher(['wire transfer', 'C++']), text)).toBe(held);
  });
});

function halves(whole: string, offset: number): boolean {
  return offset > 0 && (whole.codePointAt(offset - 1) ?? 0) > 0xffff;
}

function covered(found: { start: number; end: number }[]): Set<number> {
  return new Set(found.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)));
}

/** Code units of the longest match from any offset. */
function longestAnywhere(pattern: string, whole: string): number {
  const matcher = RE2JS.compile(pattern).matcher(whole);
  const places = Array.from({ length: whole.length }, (_, at) => at).filter((at) => !halves(whole, at));
  return Math.max(0, ...places.map((at) => (matcher.find(at) ? matcher.end() - matcher.start() : 0)));
}
