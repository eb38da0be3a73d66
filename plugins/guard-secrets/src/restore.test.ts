import type { Edit, Guard, GuardResult, JsonObject, Segment } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import secrets from './index.ts';
import type { Options } from './options.ts';
import { CLEAN, DEFAULTS, disorder, KEY_LINES, SAMPLES, withChecksum } from './samples.ts';

const guardOf = (options: Partial<Options> = {}): Guard =>
  secrets.create({ ...DEFAULTS, restore: true, ...options }, fakePluginDeps());

const TOKEN = withChecksum('ghp');
const OTHER = withChecksum('ghp', disorder(30, undefined, 5));
const PASSWORD = 'Kp4-Regenwurm';
const KEY = `-----BEGIN PRIVATE KEY-----\n${KEY_LINES}\n-----END PRIVATE KEY-----`;

type Written = readonly [role: string | null, path: string, text: string, kind?: Segment['kind']];

function segmentsOf(written: readonly Written[], choice: number | null = null): Segment[] {
  return written.map(([role, path, text, kind = 'text'], index) => {
    return { index, text, kind, role, path, choice, origin: 'user', untrusted: false };
  });
}

const user = (...texts: string[]): Segment[] => segmentsOf(texts.map((text, n) => ['user', `messages.${n}.content`, text]));
const answer = (...texts: string[]): Segment[] =>
  segmentsOf(
    texts.map((text, n) => ['assistant', `choices.${n}.message.content`, text]),
    0,
  );

const edited = ({ index, text }: Segment, edits: readonly Edit[]): string =>
  edits
    .filter(({ segment }) => segment === index)
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text);

async function checked(
  guard: Guard,
  stage: 'ingress' | 'egress',
  segments: readonly Segment[],
  state: JsonObject,
): Promise<GuardResult & { readonly texts: readonly string[] }> {
  const result = await guard.check(segments, fakeGuardContext({ stage, state }));
  return { ...result, texts: segments.map((segment) => edited(segment, result.edits)) };
}

/** The state of a run after its request, as it is after a pause: plain JSON. */
async function stateOf(segments: readonly Segment[], options: Partial<Options> = {}): Promise<JsonObject> {
  const state: JsonObject = {};
  await checked(guardOf(options), 'ingress', segments, state);
  return JSON.parse(JSON.stringify(state));
}

describe('with restore, a request', () => {
  test('has a placeholder for each value', async () => {
    const { texts, findings } = await checked(
      guardOf(),
      'ingress',
      user(`${TOKEN} ${OTHER}, ${TOKEN}`, `password: ${PASSWORD}`),
      {},
    );
    expect(texts).toEqual(['<GITHUB_TOKEN_1> <GITHUB_TOKEN_2>, <GITHUB_TOKEN_1>', 'password: <SECRET_1>']);
    expect(findings).toEqual([
      { entity_type: 'GITHUB_TOKEN', count: 3 },
      { entity_type: 'SECRET', count: 1 },
    ]);
  });

  test('keeps a text of the caller apart that looks like a placeholder', async () => {
    const { texts } = await checked(guardOf(), 'ingress', user(`${TOKEN} is not <GITHUB_TOKEN_1>`), {});
    expect(texts).toEqual(['<GITHUB_TOKEN_1> is not <GITHUB_TOKEN_2>']);
    const state = await stateOf(user(`${TOKEN} is not <GITHUB_TOKEN_1>`));
    expect((await checked(guardOf(), 'egress', answer('<GITHUB_TOKEN_1>, <GITHUB_TOKEN_2>'), state)).texts).toEqual([
      `${TOKEN}, <GITHUB_TOKEN_1>`,
    ]);
  });

  test('keeps its numbers when messages are added', async () => {
    const first = user(`use ${TOKEN}`);
    const later = user(`use ${TOKEN}`, 'and', `use ${OTHER}`);
    const { texts } = await checked(guardOf(), 'ingress', first, {});
    const { texts: more } = await checked(guardOf(), 'ingress', later, {});
    expect(more).toEqual([...texts, 'and', 'use <GITHUB_TOKEN_2>']);
  });

  const content = (n: number): string => `messages.0.content.${n}.text`;
  test.each<readonly [string, (n: number) => string, string, string]>([
    ['parts', content, 'password: "Kp4-Re', 'genw<X_1>urm!29"'],
    ['messages', (n) => `messages.${n}.content`, 'password: "Kp4-Re', 'genw<X_1>urm!29"'],
    ['parts', content, KEY.slice(0, 70), `${KEY.slice(70, 90)}<X_1>${KEY.slice(90)}`],
  ])('is masked where a secret over two %s contains what looks like a placeholder', async (_, pathOf, ...texts) => {
    const said = segmentsOf(texts.map((text, n) => ['user', pathOf(n), text]));
    const masked = await checked(guardOf(), 'ingress', said, {});
    expect(masked.findings).toMatchObject([{ count: 1 }]);
    for (const [n, text] of masked.texts.entries()) expect(text).not.toContain(texts[n]?.slice(-8));
  });

  test('is masked without numbers if restore is off', async () => {
    expect((await checked(guardOf({ restore: false }), 'ingress', user(TOKEN), {})).texts).toEqual(['<GITHUB_TOKEN>']);
  });
});

describe('with restore, an answer', () => {
  test('has the values of the caller, and no others', async () => {
    const said: Written[] = [
      ['system', 'messages.0.content', `use ${OTHER}`],
      ['user', 'messages.1.content', `use ${TOKEN}`],
      [null, 'tools.0.function.description', `default password: ${PASSWORD}`],
    ];
    const written = 'write <GITHUB_TOKEN_1>, <GITHUB_TOKEN_2>, <SECRET_1>, <SECRET_7>';
    const own = await checked(guardOf(), 'egress', answer(written), await stateOf(segmentsOf(said)));
    expect(own).toMatchObject({ verdict: 'sanitize', code: 'placeholders', findings: [] });
    expect(own.texts).toEqual([`write <GITHUB_TOKEN_1>, ${TOKEN}, <SECRET_1>, <SECRET_7>`]);
    const options = { restore: 'all' } as const;
    // Definitions and system prompts in the message array are numbered as a model reads them.
    const all = await checked(guardOf(options), 'egress', answer(written), await stateOf(segmentsOf(said), options));
    expect(all.texts).toEqual([`write ${OTHER}, ${TOKEN}, ${PASSWORD}, <SECRET_7>`]);
  });

  test('of another run has none of them', async () => {
    await stateOf(user(TOKEN));
    const written = 'write <GITHUB_TOKEN_1>';
    expect(await checked(guardOf(), 'egress', answer(written), {})).toMatchObject({ verdict: 'allow', texts: [written] });
  });

  test('is masked where the model writes a secret of its own', async () => {
    const { texts, findings } = await checked(
      guardOf(),
      'egress',
      answer(`<GITHUB_TOKEN_1> or ${OTHER}`),
      await stateOf(user(TOKEN)),
    );
    expect(texts).toEqual([`${TOKEN} or <GITHUB_TOKEN>`]);
    expect(findings).toEqual([{ entity_type: 'GITHUB_TOKEN', count: 1 }]);
  });

  test('has a key of several lines in a form that keeps JSON in an argument valid', async () => {
    const state = await stateOf(user(`my key:\n${KEY}\nthanks`));
    const at = 'choices.0.message.tool_calls.0.function.arguments';
    const inner = JSON.stringify({ file: { content: JSON.stringify({ key: '<PRIVATE_KEY_1>' }) } });
    const call = segmentsOf(
      [
        ['assistant', `${at}.content`, 'key = <PRIVATE_KEY_1>\n', 'argument'],
        ['assistant', `${at}.body`, inner, 'argument'],
      ],
      0,
    );
    const { texts } = await checked(guardOf(), 'egress', call, state);
    expect(texts[0]).toBe(`key = ${KEY}\n`);
    expect(JSON.parse(JSON.parse(texts[1] ?? '').file.content)).toEqual({ key: KEY });
  });
});

test.each([['block'], ['sanitize'], ['require_approval']] as const)('restore with %s', (verdict) => {
  if (verdict === 'block') expect(() => guardOf({ verdict })).toThrow(/restore/);
  else expect(guardOf({ verdict }).verdicts).toEqual([...new Set([verdict, 'sanitize'])]);
});

const unit = fc.oneof(
  fc.constantFrom(
    '<GITHUB_TOKEN_1>',
    '<SECRET_1>',
    '<PRIVATE_KEY_1>',
    '<GITHUB_TOKEN_2>',
    '<GITHUB_TOKEN_',
    '<',
    '_1>',
    '>',
    '\u200b',
  ),
  fc.constantFrom(...SAMPLES.map(([, , text]) => text)),
  fc.constantFrom(...CLEAN, 'password', 'token: ', '=', '"', ' ', '\n', '😀', '-----', '://a:'),
);
const texts = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

test('with restore, a stream gives the result of the whole text', async () => {
  const request = user(`${TOKEN}, password: ${PASSWORD}\n${KEY}`);
  const written = await stateOf(request);
  await fc.assert(
    fc.asyncProperty(texts, lengths, async (text, cut) => {
      const state = (): JsonObject => JSON.parse(JSON.stringify(written));
      const stream = guardOf().stream?.open(fakeGuardContext({ stage: 'egress', state: state() }));
      if (stream === undefined) throw new Error('it does not stream');
      let released = '';
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const end = at + (cut[turn % cut.length] ?? 1);
        const piece = text.slice(at, end).isWellFormed() ? text.slice(at, end) : text.slice(at, end + 1);
        released += (await stream.push({ choice: 0, path: 'content', text: piece })).release;
        at += piece.length;
      }
      released += (await stream.end({ choice: 0, path: 'content' })).release;
      expect([released]).toEqual((await checked(guardOf(), 'egress', answer(text), state())).texts);
    }),
  );
});
