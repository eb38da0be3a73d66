import type { Guard, StreamStep } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Options, Rule } from './options.ts';

const guardOf = (options: Options): Guard => rules.create(options, fakePluginDeps());

const opened = (options: Options, signal?: AbortSignal) => {
  const stream = guardOf(options).stream?.open(fakeGuardContext(signal && { signal }));
  if (stream === undefined) throw new Error('these options do not stream');
  return stream;
};

const content = (choice: number, text: string) => ({ choice, path: 'content', text });

/** The result of `check` for whole texts. */
async function whole(options: Options, texts: readonly string[]) {
  const { edits, ...result } = await guardOf(options).check(fakeSegments('egress', texts), fakeGuardContext());
  const edited = texts.map((text, index) =>
    edits
      .filter(({ segment }) => segment === index)
      .reduceRight((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text),
  );
  return { ...result, edited };
}

/** Streams the texts, one per channel, in pieces of these lengths, interleaved. A channel ends when its text is complete. */
async function streamed(options: Options, texts: readonly string[], lengths: readonly number[]) {
  const stream = opened(options);
  const released = texts.map(() => '');
  const offsets = texts.map(() => 0);
  const open = new Set(texts.keys());
  const take = (choice: number, { release, stop }: StreamStep): string | undefined => {
    released[choice] += release;
    return stop?.code;
  };
  for (let turn = 0; open.size > 0; turn++) {
    const choice = [...open][turn % open.size] ?? 0;
    const from = offsets[choice] ?? 0;
    const text = texts[choice]?.slice(from, from + (lengths[turn % lengths.length] ?? 1)) ?? '';
    offsets[choice] = from + text.length;
    const ended = offsets[choice] === texts[choice]?.length;
    const pushed = take(choice, await stream.push(content(choice, text)));
    if (pushed !== undefined) return { released, stopped: pushed, finish: null };
    if (!ended) continue;
    open.delete(choice);
    const closed = take(choice, await stream.end(content(choice, '')));
    if (closed !== undefined) return { released, stopped: closed, finish: null };
  }
  return { released, stopped: null, finish: await stream.finish() };
}

const finders = fc.constantFrom<Partial<Rule>>(
  { match: '\\b\\d{2}-\\d{2}\\b' },
  { match: 'a{1,3}' },
  { match: 'ab?a{0,9}$' },
  { match: '(?i)a.{0,4}?b|b' },
  { match: '(?s:.)b' },
  { match: '[^ab ]{2,6}' },
  { match: '\\p{So}{1,2}' },
  { match: '(?m:^)[^1]' },
  { match: '\\d+', max_match: 3 },
  { match: 'a[^b]*b', max_match: 6 },
  { words: ['a b', '12', 'é'] },
  { words: ['😀', 'ab', '机'] },
  { max_characters: 7 },
  { max_characters: 12 },
);
const verdicts = fc.constantFrom<Rule['verdict']>('sanitize', 'sanitize', 'sanitize', 'block');
const named = (list: [Partial<Rule>, Rule['verdict']][]): Rule[] =>
  list.map(([finder, verdict], index) => ({ ...finder, verdict, name: `r${index}` }));
const list = fc.array(fc.tuple(finders, verdicts), { minLength: 1, maxLength: 4 }).map(named);
const unit = fc.constantFrom(
  'a',
  'b',
  'B',
  '1',
  '12-21',
  '-',
  ' ',
  '\n',
  'e\u0301',
  '😀',
  '\ud83d',
  '\ude00',
  '机',
  'x',
  'x',
  'x',
);
const texts = fc.array(
  fc.array(unit, { maxLength: 40 }).map((units) => units.join('')),
  { minLength: 1, maxLength: 3 },
);
const lengths = fc.array(fc.nat(9), { minLength: 1, maxLength: 9 }).filter((all) => all.some((length) => length > 0));

describe('a stream', () => {
  test('through a window gives the result of check for the whole text, and stops before the refused text', async () => {
    await fc.assert(
      fc.asyncProperty(list, texts, lengths, async (several, all, pieces) => {
        const options: Options = { rules: several, stream: 'window' };
        const { edited, ...result } = await whole(options, all);
        const { released, stopped, finish } = await streamed(options, all, pieces);
        if (stopped === null) {
          expect(released).toEqual(edited);
          expect(finish).toEqual({ ...result, edits: [] });
          return;
        }
        expect(several.find(({ name }) => name === stopped)?.verdict).toBe('block');
        const { edited: marked } = await whole({ rules: several.map(marking) }, all);
        for (const [channel, release] of released.entries()) {
          expect(marked[channel]?.split(MARK)[0]?.startsWith(release)).toBe(true);
        }
      }),
    );
  });

  test('that is judged afterwards leaves unchanged, with the verdict of check', async () => {
    const endless = fc.constantFrom<Partial<Rule>>({ match: 'a+b' }, { match: '\\d+$' }, { match: '(?s)x.*?b' });
    const rule = fc.tuple(fc.oneof(finders, endless), verdicts);
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { minLength: 1, maxLength: 4 }).map(named),
        texts,
        lengths,
        async (several, all, pieces) => {
          const options: Options = { rules: several, stream: 'post' };
          const { edited: _, ...result } = await whole(options, all);
          expect(await streamed(options, all, pieces)).toEqual({
            released: all,
            stopped: null,
            finish: { ...result, edits: [] },
          });
        },
      ),
    );
  });

  const account: Rule = { name: 'acct', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize' };

  test('keeps the fields of one choice separate', async () => {
    const stream = opened({ rules: [{ name: 'pair', match: 'ab', verdict: 'block' }] });
    const first = await stream.push({ choice: 0, path: 'content', text: 'a' });
    const second = await stream.push({ choice: 0, path: 'refusal', text: 'b' });
    expect([first, second]).toEqual([{ release: '' }, { release: 'b' }]);
    expect(await stream.end({ choice: 0, path: 'refusal' })).toEqual({ release: '' });
    expect(await stream.end({ choice: 0, path: 'content' })).toEqual({ release: 'a' });
    expect(await stream.finish()).toMatchObject({ verdict: 'allow', findings: [] });
  });

  test('holds back little more than the longest match', async () => {
    const stream = opened({ rules: [account, { name: 'short', words: ['secret'], verdict: 'block' }] });
    let released = '';
    for (const letter of 'x'.repeat(100)) released += (await stream.push(content(0, letter))).release;
    expect(released.length).toBeGreaterThanOrEqual(100 - '1234-5678'.length - 4);
  });

  test('makes no further edit inside a replaced text, even if it is found late', async () => {
    const rules: Rule[] = [
      { name: 'nine', match: 'a{9}', verdict: 'sanitize' },
      { name: 'one', match: 'a|c{30}', verdict: 'sanitize' },
    ];
    const { released } = await streamed({ rules }, [`${'a'.repeat(9)}${'x'.repeat(60)}`], [1]);
    expect(released).toEqual([`<NINE>${'x'.repeat(60)}`]);
  });

  test('sends the beginning of a text that becomes too long, and replaces the rest', async () => {
    const stream = opened({ rules: [{ name: 'cut', max_characters: 4, verdict: 'sanitize', replacement: '…' }] });
    const released: string[] = [];
    for (const text of ['ab', 'cdef', 'g']) released.push((await stream.push(content(0, text))).release);
    released.push((await stream.end(content(0, ''))).release);
    expect(released).toEqual(['ab', 'cd', '', '…']);
  });

  test('judges in finish what did not end', async () => {
    const stream = opened({ rules: [{ ...account, match: '\\d+', verdict: 'block' }], stream: 'post' });
    await stream.push(content(0, 'number 12'));
    expect(await stream.finish()).toMatchObject({ verdict: 'block', findings: [{ count: 1 }] });
  });

  test('can be aborted in a large piece', async () => {
    const limit = new AbortController();
    const { clock } = fakePluginDeps();
    // Each reading of the clock is later than the previous one, however fast the machine is.
    let now = 0;
    const deps = fakePluginDeps({ clock: { ...clock, monotonic: () => (now += 5) } });
    const guard = rules.create({ rules: [{ ...account, match: '(?:[a-z]{1,20}-){1,9}\\d' }] }, deps);
    const stream = guard.stream?.open(fakeGuardContext({ signal: limit.signal }));
    setImmediate(() => limit.abort());
    await expect(stream?.push(content(0, 'abcdefgh-'.repeat(400_000)))).rejects.toMatchObject({ name: 'AbortError' });
  });
});

const MARK = '\u0001';

/** Sets a mark at each place where a rule would stop a stream. */
function marking(rule: Rule): Rule {
  return rule.verdict === 'block' ? { ...rule, verdict: 'sanitize', replacement: MARK } : rule;
}
