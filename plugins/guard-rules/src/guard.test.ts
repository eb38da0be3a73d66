import type { Guard, GuardResult } from '@svc/sdk';
import type { SegmentKind } from '@svc/sdk/guard';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Rule } from './options.ts';

const guardOf = (...list: Rule[]): Guard => rules.create({ rules: list }, fakePluginDeps());

const check = async (list: Rule[], ...texts: string[]): Promise<GuardResult> =>
  guardOf(...list).check(fakeSegments('ingress', texts), fakeGuardContext());

const mask: Rule = { name: 'acct', match: '\\d{4}-\\d{4}', verdict: 'sanitize' };
const hold: Rule = { name: 'wire', words: ['wire transfer'], verdict: 'require_approval' };
const stop: Rule = { name: 'secret', words: ['top secret'], verdict: 'block' };

describe('the options of rules', () => {
  test.each<[string, unknown, boolean]>([
    ['the least', { rules: [{ name: 'a', match: 'x', verdict: 'block' }] }, true],
    ['no rule', { rules: [] }, false],
    ['no rules', {}, false],
    ['an unknown key', { rules: [{ ...stop, stream: 'window' }] }, false],
    ['an unknown key beside rules', { rules: [stop], streams: 'window' }, false],
    ['a way to stream', { rules: [stop], stream: 'post' }, true],
    ['an unknown way to stream', { rules: [stop], stream: 'late' }, false],
    ['a match of no length', { rules: [{ ...mask, max_match: 0 }] }, false],
    ['an unknown verdict', { rules: [{ ...stop, verdict: 'allow' }] }, false],
    ['a name with a space', { rules: [{ ...stop, name: 'top secret' }] }, false],
    ['a long name', { rules: [{ ...stop, name: 'x'.repeat(65) }] }, false],
    ['no words', { rules: [{ ...stop, words: [] }] }, false],
    ['an empty pattern', { rules: [{ name: 'a', match: '', verdict: 'block' }] }, false],
    ['a bound of none', { rules: [{ name: 'a', max_characters: 0, verdict: 'block' }] }, false],
  ])('with %s', (_, options, valid) => {
    expect(Value.Check(rules.options, options)).toBe(valid);
  });
});

describe('the guard rules', () => {
  test('works in both stages and gives the verdicts of its rules', () => {
    expect(guardOf(mask, hold, { ...mask, name: 'other' })).toMatchObject({
      stages: ['ingress', 'egress'],
      verdicts: ['sanitize', 'require_approval'],
    });
  });

  test('allows a text if nothing is found', async () => {
    expect(await check([mask, hold, stop], 'hello')).toEqual({ verdict: 'allow', code: 'no-match', edits: [], findings: [] });
  });

  test('gives the strictest verdict, edits with any verdict, and counts by rule', async () => {
    const result = await check([mask, hold, stop], 'wire transfer to 1234-5678', 'top secret: 1111-2222 3333-4444');
    expect(result).toEqual({
      verdict: 'block',
      code: 'secret',
      edits: [
        { segment: 0, start: 17, end: 26, replacement: '<ACCT>' },
        { segment: 1, start: 12, end: 21, replacement: '<ACCT>' },
        { segment: 1, start: 22, end: 31, replacement: '<ACCT>' },
      ],
      findings: [
        { entity_type: 'acct', count: 3 },
        { entity_type: 'wire', count: 1 },
        { entity_type: 'secret', count: 1 },
      ],
    });
  });

  test('treats block as stricter than require_approval', async () => {
    expect(await check([hold], 'wire transfer')).toMatchObject({ verdict: 'require_approval', code: 'wire' });
    expect(await check([hold, stop], 'wire transfer, top secret')).toMatchObject({ verdict: 'block', code: 'secret' });
  });

  test('is named after the first of the strictest rules', async () => {
    expect(await check([mask, { ...stop, name: 'second' }, stop], 'top secret 1234-5678')).toMatchObject({ code: 'second' });
  });

  test('takes a replacement literally', async () => {
    const { edits } = await check([{ ...mask, match: '(\\d+)', replacement: '$1 $& $$' }], '7');
    expect(edits).toEqual([{ segment: 0, start: 0, end: 1, replacement: '$1 $& $$' }]);
  });

  test('cuts a text at its limit, and masks a match across the limit', async () => {
    const cut: Rule = { name: 'long', max_characters: 8, verdict: 'sanitize', replacement: '…' };
    const { edits, findings } = await check([mask, cut], 'ab 😀 1234-5678 more', 'short');
    expect(edits).toEqual([
      { segment: 0, start: 6, end: 15, replacement: '<ACCT>' },
      { segment: 0, start: 15, end: 20, replacement: '…' },
    ]);
    expect(findings).toEqual([
      { entity_type: 'acct', count: 1 },
      { entity_type: 'long', count: 1 },
    ]);
  });

  test.each<SegmentKind>(['text', 'name', 'argument', 'key', 'url'])('looks at segments of kind %s', async (kind) => {
    expect(await guardOf(stop).check(fakeSegments('ingress', ['top secret'], kind), fakeGuardContext())).toMatchObject({
      verdict: 'block',
    });
  });

  test('can be aborted if it does not answer at once', async () => {
    let time = 0;
    const clock = { now: () => 0, monotonic: () => (time += 1000) };
    const guard = rules.create({ rules: [stop] }, fakePluginDeps({ clock }));
    const given_up = fakeGuardContext({ signal: AbortSignal.abort() });
    await expect(guard.check(fakeSegments('ingress', ['top secret']), given_up)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await guard.check(fakeSegments('ingress', ['hello']), given_up)).toMatchObject({ verdict: 'allow' });
  });

  test('never throws and finds no less than each rule alone, in any text', async () => {
    const list: Rule[] = [
      mask,
      hold,
      stop,
      { name: 'letters', match: '\\p{L}[^a]', verdict: 'sanitize' },
      { name: 'face', words: ['😀', 'a b'], verdict: 'sanitize' },
      { name: 'long', max_characters: 10, verdict: 'sanitize' },
    ];
    const unit = fc.oneof(
      fc.constantFrom('a', 'b', ' ', '1', '-', '😀', 'é', '\ud83d', '\ude00'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    const text = fc.string({ unit, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 3 }), async (texts) => {
        const { findings } = await check(list, ...texts);
        const alone = await Promise.all(list.map(async (rule) => (await check([rule], ...texts)).findings));
        expect(findings).toEqual(alone.flat());
      }),
    );
  });
});
