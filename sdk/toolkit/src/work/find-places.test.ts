import { finished, type Segment, TEXT_ORIGINS, Turns } from '@svc/contracts';
import { brokenWork, fakeClock } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Finding, type FindPlaces, findPlaces, inThread } from './find-places.ts';
import { packSegments, unpackSegments } from './packed-segments.ts';
import { type Place, packPlaces, unpackPlaces } from './places.ts';
import { slices } from './slices.ts';
import { weighsAtMost } from './weight.ts';

const turns = (): Turns => new Turns(undefined, fakeClock());
const segmentOf = (text: string, index = 0): Segment => ({
  index,
  text,
  kind: 'text',
  role: 'user',
  path: `p.${index}`,
  choice: null,
  origin: 'user',
  untrusted: false,
});

/** Finds each `x`, and counts the segments that it searched. */
const find: FindPlaces<number> = function* (segments) {
  yield;
  const places = segments.flatMap(({ text }, order): Place[] =>
    [...text.matchAll(/x/g)].map(({ index }) => ({
      entity_type: 'X',
      score: 1,
      pieces: [{ order, start: index, end: index + 1 }],
    })),
  );
  return { places, summary: segments.length };
};
const task = inThread<null, number>(() => find);

const findingOf = (small: boolean): Finding<number> => ({
  find,
  moduleUrl: 'file:///find.js',
  settings: null,
  isSmall: () => small,
  isName: (name) => name === 'X',
  isSummary: (value): value is number => typeof value === 'number',
});
const here = { runInWorker: async (_: string, input: unknown) => structuredClone(finished(task(structuredClone(input)))) };

describe('places', () => {
  test('are the same in a thread and on the event loop', async () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('x', 'a', '\ud83d', '😀') }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const segments = all.map(segmentOf);
        const inline = await findPlaces(findingOf(true), segments, { runInWorker: () => Promise.reject(new Error()) }, turns());
        const pooled = await findPlaces(findingOf(false), segments, here, turns());
        expect({ ...pooled, places: [...pooled.places] }).toEqual(inline);
      }),
    );
  });

  test.each(Object.entries(brokenWork).filter(([name]) => /rejects|throws/.test(name)))(
    'of a thread that %s are none',
    async (_, work) => {
      await expect(findPlaces(findingOf(false), [segmentOf('x')], work, turns())).rejects.toThrow();
    },
  );

  const lengths = [3, 2];
  const read = (packed: unknown): Place[] => [...unpackPlaces(packed, lengths, (name) => name === 'X')];
  const rows = (...all: number[][]): unknown => ({ names: ['X'], rows: Float64Array.from(all.flat()) });

  test('are returned unchanged, including split ones', () => {
    const places = [
      {
        entity_type: 'X',
        score: 0.85,
        pieces: [
          { order: 0, start: 1, end: 3 },
          { order: 1, start: 0, end: 1 },
        ],
      },
      { entity_type: 'X', score: 2, pieces: [{ order: 1, start: 1, end: 2 }] },
    ];
    expect(read(packPlaces(places))).toEqual(places);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'none'],
    ['no rows', { names: [] }],
    ['rows as a list', { names: ['X'], rows: [0, 1, 1, 0, 0, 1] }],
    ['half a row', { names: ['X'], rows: new Float64Array(5) }],
    ['an unknown name', { names: ['Y'], rows: new Float64Array() }],
    ['a name that is none', { names: [1], rows: new Float64Array() }],
    ['a name too many', rows([1, 1, 1, 0, 0, 1])],
    ['a score of none', rows([0, Number.NaN, 1, 0, 0, 1])],
    ['a score beyond', rows([0, 3, 1, 0, 0, 1])],
    ['a piece of no place', rows([0, 1, 0, 0, 0, 1])],
    ['neither a place nor a piece', rows([0, 1, 0.5, 0, 0, 1])],
    ['another segment', rows([0, 1, 1, 2, 0, 1])],
    ['a start before the text', rows([0, 1, 1, 0, -1, 1])],
    ['an end behind it', rows([0, 1, 1, 1, 0, 3])],
    ['an empty place', rows([0, 1, 1, 0, 1, 1])],
    ['a fraction', rows([0, 1, 1, 0, 0.5, 1])],
  ])('are refused with %s', (_, packed) => {
    expect(() => read(packed)).toThrow();
  });

  test('that are too many are refused in the thread that found them', () => {
    const pieces = Array.from({ length: 1_000_001 }, () => ({ order: 0, start: 0, end: 1 }));
    expect(() => packPlaces([{ entity_type: 'X', score: 1, pieces }])).toThrow(RangeError);
  });
});

test('segments are returned unchanged', async () => {
  const kind = fc.constantFrom('text', 'name', 'argument', 'key', 'url') as fc.Arbitrary<Segment['kind']>;
  const one = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '=') }),
    kind,
    role: fc.option(fc.string()),
    path: fc.string(),
    origin: fc.constantFrom(...TEXT_ORIGINS),
    untrusted: fc.boolean(),
  });
  const thought = one.map((segment) => ({ ...segment, kind: 'text' as const, is_thinking: true as const }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(one, thought)), async (all) => {
      expect(unpackSegments(structuredClone(await packSegments(all, turns())))).toEqual(all);
    }),
  );
  const many = Array.from({ length: 10_000 }, (_, n) => {
    const { index: _index, choice: _choice, ...segment } = segmentOf(`${n}`, n);
    return segment;
  });
  expect(unpackSegments(await packSegments(many, turns()))).toEqual(many);
});

test('the slices join to the text, and none ends within a surrogate pair', () => {
  const text = `a${'😀'.repeat(5000)}`;
  const all = [...slices(text)];
  expect(all.join('')).toBe(text);
  expect(all.every((slice) => slice.isWellFormed() && slice.length <= 2049)).toBe(true);
});

test('small texts count by number as well as by length', () => {
  expect(weighsAtMost(1000, [segmentOf('a'.repeat(900))])).toBe(true);
  expect(weighsAtMost(1000, [segmentOf('a'.repeat(1000))])).toBe(false);
  expect(
    weighsAtMost(
      1000,
      Array.from({ length: 20 }, () => segmentOf('')),
    ),
  ).toBe(false);
  expect(weighsAtMost(1000, [segmentOf('1'.repeat(500))], () => 1)).toBe(false);
});
