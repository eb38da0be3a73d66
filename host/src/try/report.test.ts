import type { Segment } from '@svc/contracts';
import type { GuardPool } from '@svc/kernel/workers';
import { protocolsWith } from '@svc/protocols';
import { describe, expect, it, test } from 'vitest';
import { exampleLines } from '../commands/try-lines.ts';
import { type Example, exampleOf } from './example.ts';
import { mergeResults, titleOf } from './merge-results.ts';
import { type PackTally, Tally } from './tally.ts';
import type { TriedPack } from './tried-packs.ts';
import { type Place, type Result, tryExample } from './try-example.ts';
import { excerptOf, whereIs } from './words.ts';

const packOf = (threshold: number | null, name = 'pii'): TriedPack => ({ name, threshold }) as TriedPack;
const place = (start: number, end: number, score = 1, text = 'x'.repeat(200)): Place => ({
  entity_type: 'A',
  score,
  path: 'p',
  start,
  end,
  text,
});
const resultOf = (pack: TriedPack, places: readonly Place[], more: Partial<Result> = {}): Result => ({
  pack,
  verdict: places.length > 0 ? 'sanitize' : 'allow',
  code: 'c',
  ms: 1,
  findings: places.length === 0 ? [] : [{ entity_type: 'A', count: places.length }],
  places,
  ...more,
});

describe('findings of an example', () => {
  it('are together for thresholds that agree, and apart for others and other packs', () => {
    const [low, high, other] = [packOf(0.2), packOf(0.9), packOf(0.2, 'mine')];
    const results = [
      resultOf(low, [place(0, 3, 0.5), place(4, 6)]),
      resultOf(high, [place(4, 6)]),
      resultOf(packOf(1), [place(4, 6)]),
      resultOf(other, [place(4, 6)]),
      null,
    ];
    const merged = mergeResults(results);
    expect(merged.map((found) => [titleOf(found, results), found.places.length, found.score])).toEqual([
      ['pii 0.2', 2, 1],
      ['pii 0.9 1', 1, 1],
      ['mine', 1, 1],
    ]);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new TypeError('PRIVATE')), 'TypeError'],
    ['has a text as its code', () => ({ verdict: 'block', code: 'PRIVATE text', edits: [], findings: [] }), 'invalid'],
    ['returns nothing', () => undefined, 'invalid'],
  ])('of a guard that %s are a failure, with a reason and without text', async (_, check, code) => {
    const guard = { stages: ['ingress'], verdicts: ['block'], check, scan: () => ({ findings: [] }) };
    const pack = { name: 'p', threshold: null, node: { name: 'p', scope: 'all', guard } } as unknown as TriedPack;
    const example = { source: 's', stage: 'ingress', isText: true, segments: () => [] } as Example;
    const result = await tryExample(example, pack, {} as GuardPool);
    expect(result).toMatchObject({ verdict: null, code, findings: [], places: [] });
    expect(exampleLines(example, [result], true).join()).toContain(`(${code})`);
  });

  it('of a guard that failed are a failure', () => {
    expect(mergeResults([resultOf(packOf(1), [], { verdict: null })])).toMatchObject([{ verdict: null, finding: null }]);
  });
});

test('sums count examples and findings, and keep no example', () => {
  const tally = new Tally([packOf(0.5)]);
  const [own] = tally.packs as [PackTally];
  tally.add([resultOf(own.pack, [place(0, 1, 0), place(2, 3, 0.05), place(4, 5, 1)], { ms: 3 })]);
  tally.add([resultOf(own.pack, [])]);
  tally.add([resultOf(own.pack, [], { verdict: null, ms: 900 })]);
  tally.add([null]);
  expect([tally.examples, tally.found, tally.failed]).toEqual([4, 1, 1]);
  expect([own.examples, own.found, own.findings, own.verdicts]).toEqual([
    3,
    1,
    3,
    new Map([
      ['sanitize', 1],
      ['allow', 1],
    ]),
  ]);
  expect([own.scores[0], own.scores[1], own.scores[19]]).toEqual([1, 1, 1]);
  expect(own.times.longest).toBe(900);
  expect(own.times.median).toBeGreaterThan(2.8);
  expect(own.times.median).toBeLessThan(3.2);
});

test('an excerpt shows little more than what was found, on one line and well-formed', () => {
  const text = `${'b'.repeat(100)}\n😀${'f'.repeat(10)}\t${'a'.repeat(100)}`;
  expect(excerptOf(place(103, 113, 1, text))).toEqual([`…${'b'.repeat(21)} 😀`, 'f'.repeat(10), ` ${'a'.repeat(23)}…`]);
  const [before, found, after] = excerptOf(place(0, 5_000, 1, 'x'.repeat(5_000)));
  expect([before, found?.length, after]).toEqual(['', 121, '']);
  expect(
    excerptOf(place(102, 103, 1, text))
      .join('')
      .isWellFormed(),
  ).toBe(true);
});

test('where something is has its path, unless it is a plain text', () => {
  expect([whereIs(place(1, 2), false), whereIs(place(1, 2), true), whereIs(place(0, 200), true)]).toEqual([
    'p 1-2',
    '1-2',
    'whole text',
  ]);
});

describe('a body', () => {
  const textsOf = (value: unknown): readonly Segment[] | string => {
    const example = exampleOf({ source: 's', bytes: 0, value }, protocolsWith([]));
    return typeof example === 'string' ? example : example.segments('all', false);
  };

  it.each<[string, object, string, string]>([
    ['of the chat format', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] }, 'messages.0.content', 'tool'],
    [
      'of the Messages API',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] }] },
      'messages.0.content.0.content',
      'tool',
    ],
    [
      'of the Responses API',
      { input: [{ type: 'message', role: 'user', content: 'x' }], text: { format: { type: 'text' } } },
      'input.0.content',
      'user',
    ],
  ])('%s has its own roles', (_, body, path, role) => {
    expect(textsOf(body)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ path, role, text: 'x', untrusted: role === 'tool' })]),
    );
  });

  it.each([
    [null],
    [7],
    [[]],
    [{}],
    [{ text: 7 }],
    [{ messages: [{ role: 'root', content: 'PRIVATE' }] }],
    [{ contents: [{ parts: [{ text: 'PRIVATE' }] }] }],
  ])('%j is refused without its content', (value) => {
    const said = textsOf(value);
    expect(said).toEqual(expect.any(String));
    expect(said).not.toContain('PRIVATE');
  });
});
