import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewOf, followedBy, maybe, oneOf, run, type Shape, sequence, text, upTo, words } from './shape.ts';

const matches = (source: string, value: string): boolean => new RegExp(`^(?:${source})`).test(value);
const whole = (shape: Shape, value: string): string | null => new RegExp(`^(?:${shape.whole})`).exec(value)?.[0] ?? null;

/** Each way to build a shape, and combinations. */
const SHAPES: readonly (readonly [name: string, shape: Shape, examples: readonly string[]])[] = [
  ['a text', text('a.b'), ['a.b']],
  ['a run', run('0-9', 2, 4), ['12', '123', '1234']],
  ['a run of few', sequence(text('='), fewOf('a-z', 0, 3), text('b')), ['=b', '=ab', '=abb']],
  ['an alternative', oneOf(text('ab'), run('x', 1, 3)), ['ab', 'xx']],
  ['an option', sequence(maybe(text('pre-')), text('fix')), ['pre-fix', 'fix']],
  ['a sequence', sequence(words('sk_', 'rk_'), words('live', 'test'), run('a-z', 3)), ['sk_liveabc', 'rk_testxyz']],
  ['words', sequence(words('sec', 'secret', 'secret_key', 'token'), text('=')), ['sec=', 'secret=', 'secret_key=', 'token=']],
  ['a run up to its end', sequence(text('='), upTo('a-z', '.', 3, 6)), ['=abc', '=a.b.c', '=abcdef']],
  ['what is followed', followedBy('@', run('a-z', 1, 5)), ['abc@']],
];

describe('shapes', () => {
  test.each(SHAPES)('of %s match, and none is longer than said', (_, shape, examples) => {
    for (const example of examples) {
      expect(whole(shape, example)).not.toBeNull();
      expect((whole(shape, example) ?? '').length).toBeLessThanOrEqual(shape.longest);
    }
  });

  test.each(SHAPES)('of %s are begun by every beginning of a match', (_, shape, examples) => {
    for (const example of examples) {
      const match = whole(shape, example) ?? '';
      for (let end = 0; end <= match.length; end++) expect(matches(shape.begun, match.slice(0, end))).toBe(true);
    }
  });

  test.each(SHAPES)('of %s that are not begun become none, whatever follows', (_, shape) => {
    const unit = fc.constantFrom('a', '.', 'b', '1', 'x', 'p', 'r', 'e', '-', 'f', 'i', 'sk_', 'live', '=', '@', 'abc');
    const some = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));
    fc.assert(
      fc.property(some, some, (beginning, rest) => {
        if (matches(shape.begun, beginning)) return;
        expect(whole(shape, beginning + rest)).toBe(whole(shape, beginning));
      }),
    );
  });

  test('of a run up to its end leave out what joins it to nothing', () => {
    const shape = upTo('a-z', '.', 3, 6);
    expect(['abc.', 'abc..', 'ab', 'a.bc. d', 'abcdefgh', 'ab....'].map((value) => whole(shape, value))).toEqual([
      'abc',
      'abc',
      null,
      'a.bc',
      'abcdef',
      'ab....',
    ]);
  });
});
