import type { Guard, Segment, StreamStep } from '@svc/sdk/plugin';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Options, Rule } from './options.ts';

const guardOf = (options: Options): Guard => rules.create(options, fakePluginDeps());

const opened = (options: Options, signal?: AbortSignal) => {
  const stream = guardOf(options).openStream?.(fakeGuardContext(signal && { signal }));
  if (stream === undefined) throw new Error('these options do not stream');
  return stream;
};

const content = (choice: number, text: string) => ({ choice, path: 'content', text });

const segmentsOf = (texts: readonly string[]): Segment[] =>
  texts.map((text, index) => ({ index, text, kind: 'text', role: 'assistant', path: `choices.${index}.message.content`, choice: index }));

/** What `check` makes of whole texts. */
async function whole(options: Options, texts: readonly string[]) {
  const { edits, ...result } = await guardOf(options).check(segmentsOf(texts), fakeGuardContext());
  const edited = texts.map((text, index) =>
    edits
      .filter(({ segment }) => segment === index)
      .reduceRight((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text),
  );
  return { ...result, edited };
}

/** Gives the texts, each a channel, in pieces of these lengths, the channels in turns; each ends as soon as it is through. */
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
const rule = fc.tuple(finders, fc.constantFrom<Rule['verdict']>('sanitize', 'sanitize', 'sanitize', 'block'));
const list = fc
  .array(rule, { minLength: 1, maxLength: 4 })
  .map((several): Rule[] => several.map(([finder, verdict], index) => ({ ...finder, verdict, name: `r${index}` })));
const unit = fc.constantFrom('a', 'b', 'B', '1', '12-21', '-', ' ', '\n', 'e\u0301', '😀', '\ud83d', '\ude00', '机', 'x', 'x', 'x');
const texts = fc.array(fc.array(unit, { maxLength: 40 }).map((units) => units.join('')), { minLength: 1, maxLength: 3 });
const lengths = fc.array(fc.nat(9), { minLength: 1, maxLength: 9 }).filter((all) => all.some((length) => length > 0));

describe('a stream', () => {
  test('through a window comes to what check makes of the whole, and stops before anything that it refuses', async () => {
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
        expect(result.verdict).toBe('block');
        expect(several.find(({ name }) => name === stopped)?.verdict).toBe('block');
        // Up to where the first refused match begins; a mark in its place shows where that is in the edited text.
        const marking = several.map(({ verdict, ...other }): Rule => ({ ...other, verdict: 'sanitize', replacement: verdict === 'block' ? '\u0001' : `<${other.name}>` }));
        void marking;
        for (const [channel, release] of released.entries()) expect(edited[channel]?.startsWith(release)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
