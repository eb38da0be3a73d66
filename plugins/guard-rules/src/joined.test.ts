import type { Guard, GuardResult, Segment } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Rule } from './options.ts';

const guardOf = (...list: Rule[]): Guard => rules.create({ rules: list }, fakePluginDeps());
const mark: Rule = { name: 'mark', match: 'LEAKMARK', verdict: 'sanitize' };
const stop: Rule = { name: 'secret', words: ['top secret'], verdict: 'block' };

function partsOf(texts: readonly string[], path = (n: number) => `choices.0.message.content.${n}.text`): Segment[] {
  return texts.map((text, index) => ({
    index,
    text,
    kind: 'text',
    role: 'user',
    path: path(index),
    choice: null,
    origin: 'user',
    untrusted: false,
  }));
}
const inMessages = (n: number): string => `messages.${n}.content`;

const check = async (list: readonly Rule[], parts: readonly Segment[]): Promise<GuardResult> =>
  guardOf(...list).check(parts, fakeGuardContext());

async function masked(list: readonly Rule[], texts: readonly string[], path?: (n: number) => string): Promise<string[]> {
  const { edits } = await check(list, partsOf(texts, path));
  return texts.map((text, n) =>
    edits
      .filter(({ segment }) => segment === n)
      .toSorted((a, b) => b.start - a.start)
      .reduce((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text),
  );
}

describe('texts that a model reads as one', () => {
  test('are searched as one: run together, and with a space between', async () => {
    expect(await masked([mark], ['a LEAK', 'MARK b'])).toEqual(['a <MARK>', ' b']);
    expect(await masked([mark], ['LEAK', 'MARK'])).toEqual(['<MARK>', '<MARK>']);
    expect(await check([stop], partsOf(['top', 'secret']))).toMatchObject({ verdict: 'block', code: 'secret' });
    expect(await check([stop], partsOf(['top se', 'cret']))).toMatchObject({ verdict: 'block', code: 'secret' });
  });

  test('are also searched separately', async () => {
    const anchored: Rule = { name: 'only', match: '^\\d+$', verdict: 'sanitize' };
    expect(await masked([anchored], ['12', 'ab', '34'])).toEqual(['<ONLY>', 'ab', '<ONLY>']);
  });

  test('count a repeated match once, and all matches in one of them', async () => {
    const list: Rule[] = [
      mark,
      { name: 'twice', words: ['a b', 'b c'], verdict: 'sanitize' },
      { name: 'x', match: 'x+', verdict: 'sanitize' },
    ];
    const { findings } = await check(list, partsOf(['LEAKMARK a b c x', 'xx LEAK', 'MARK x']));
    expect(findings).toEqual([
      { entity_type: 'mark', count: 2 },
      { entity_type: 'twice', count: 1 },
      { entity_type: 'x', count: 3 },
    ]);
  });

  test('have a combined length, unlike consecutive messages', async () => {
    const long: Rule = { name: 'long', max_characters: 6, verdict: 'sanitize', replacement: '…' };
    expect(await masked([long], ['abc', 'def'])).toEqual(['abc', 'def']);
    expect(await masked([long], ['abc', 'defgh', 'ij'])).toEqual(['abc', 'def…', '…']);
    expect(await masked([long], ['abcd', 'efgh', 'too long'], inMessages)).toEqual(['abcd', 'efgh', 'too lo…']);
  });

  test('are consecutive messages of one role', async () => {
    expect(await masked([mark], ['a LEAK', 'MARK b'], inMessages)).toEqual(['a <MARK>', ' b']);
  });

  test('hide no match, wherever it is split', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z ]{0,6}$/), pieces, async (before, lengths) => {
        const whole = `${before}LEAKMARK.`;
        const texts: string[] = [];
        for (let at = 0, n = 0; at < whole.length; n++) {
          const length = lengths[n % lengths.length] ?? 1;
          texts.push(whole.slice(at, at + length));
          at += length;
        }
        const said = await masked([mark], texts);
        expect(said).toHaveLength(texts.length);
        expect(said).not.toContain('');
        expect(said.join('').replaceAll(/(?:<MARK>)+/g, '<MARK>')).toBe(`${before}<MARK>.`);
      }),
    );
  });
});
