import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthMatcher } from './length.ts';
import { spans } from './spans.ts';

const found = (max: number, text: string) => spans(lengthMatcher(max), text);

describe('the length matcher', () => {
  test.each([
    [3, '', []],
    [3, 'abc', []],
    [3, 'abcde', [{ start: 3, end: 5 }]],
    [2, '😀😀', []],
    [2, '😀😀!', [{ start: 4, end: 5 }]],
    [1, '\ud83d\ud83d', [{ start: 1, end: 2 }]],
  ])('with %i characters, in %j', (max, text, spans) => {
    expect(found(max, text)).toEqual(spans);
  });

  test('keeps exactly the first characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 12 }), (text, max) => {
        const cut = found(max, text)[0]?.start ?? text.length;
        expect(text.slice(0, cut)).toBe([...text].slice(0, max).join(''));
      }),
    );
  });
});
