import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finder } from './finder.ts';
import { MaskedChannel } from './masked-channel.ts';
import { searchWith } from './search.ts';
import { searchThrough } from './search-through.ts';
import { visible } from './visible-text.ts';

/** Three digits or more. */
const digits: Finder = {
  context: 1,
  reach: 40,
  find: (text, from) =>
    [...text.matchAll(/(?<!\d)\d{3,30}/g)]
      .filter(({ index }) => index >= from)
      .map(({ index, 0: run }) => ({ entity_type: 'RUN', start: index, end: index + run.length, score: 1 })),
  openFrom: (text, from) => Math.max(from, text.length - (/\d*$/.exec(text)?.[0].length ?? 0)),
};

async function masked(pieces: readonly string[]): Promise<string> {
  const channel = new MaskedChannel([searchThrough(searchWith(digits))], (_, value) => `[${value}]`);
  let released = '';
  for (const piece of pieces) released += await channel.push(piece);
  return released + (await channel.end());
}

test('invisible characters inside a value hide nothing, and those around it stay', async () => {
  const hidden = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u202e', '\ufe0f', '\u{e0061}', '\u200b\u200d\u00ad'];
  for (const sign of hidden) {
    expect(await masked([`a${sign}1${sign}2${sign}3${sign}b 12 3`])).toBe(`a${sign}[1${sign}2${sign}3]${sign}b 12 3`);
  }
  expect(visible('4\u200b1\u{e0061}1')).toBe('411');
});

test('the result is the same wherever the text is cut, and equals the one without invisible characters except for these', async () => {
  const units = fc.array(fc.constantFrom('1', '23', 'a', ' ', '\u200b', '\u00ad', '\u{e0061}', '😀'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(units, async (pieces) => {
      const whole = pieces.join('');
      expect(await masked(pieces)).toBe(await masked([whole]));
      expect(visible(await masked(pieces))).toBe(await masked([visible(whole)]));
    }),
  );
});
