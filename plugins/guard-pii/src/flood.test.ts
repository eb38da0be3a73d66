import { searchWith } from '@svc/toolkit/masking';
import { finished } from '@svc/toolkit/work';
import { expect, test } from 'vitest';
import { KNOWN_ENTITIES, recognisersOf } from './entities.ts';
import { searchInLanguages } from './languages/search-in-languages.ts';
import { nameFinder } from './name-finder.ts';
import { patternFinder } from './pattern-finder.ts';
import { SAMPLES } from './recognisers/samples.ts';
import { makeScanner } from './scanner.ts';

/** `SVC_FAULT=long` uses longer texts, with more precise results. */
const SHORT = process.env.SVC_FAULT === 'long' ? 10_000 : 2_000;
/** How many times longer the longer text is. It takes this many times as long in linear time, and the square of that in quadratic time. */
const FACTOR = 16;
/** Far from both ratios, because test machines may be busy. */
const MAX_RATIO = 4 * FACTOR;
/** Minimum duration for the shorter text, in milliseconds. Below it, the clock and the compiler dominate. */
const LEAST_SHORT = 0.5;
const RUNS = 3;
/** How often a slow result is measured again. */
const ROUNDS = 5;

/** Endless near-matches: texts that recognisers look for, texts that they reject, and beginnings of both. */
function floods(entity_type: string): string[] {
  const { found = [], passed = [] } = SAMPLES[entity_type] ?? {};
  const values = found.flatMap((sample) => /\[([^\]]*)\]/.exec(sample)?.[1] ?? []);
  const pieces = [...values.slice(0, 2), ...passed.slice(0, 3)].flatMap((value) => [value, `${value.slice(0, -1)} `]);
  return [...pieces, '1', '1 ', 'a', '.', '-1', '@', 'a@', ':', 'a1'];
}

/** The minimum of several runs, in processor time, so that other load counts little. Stops when a run takes no longer than `enough`. */
async function milliseconds(find: (text: string) => unknown, text: string, enough = 0): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS && least > enough; run++) {
    const began = process.cpuUsage();
    await find(text);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

async function expectLinear(find: (text: string) => unknown, piece: string): Promise<void> {
  const filled = (length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  await find(filled(SHORT));
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least > MAX_RATIO; round++) {
    const short = Math.max(await milliseconds(find, filled(SHORT), LEAST_SHORT), LEAST_SHORT);
    least = Math.min(least, (await milliseconds(find, filled(SHORT * FACTOR), short * MAX_RATIO)) / short);
  }
  expect(least, JSON.stringify(piece)).toBeLessThanOrEqual(MAX_RATIO);
}

test.each(Object.keys(SAMPLES))(
  'the recogniser of %s takes linear time on texts that nearly match',
  async (entity_type) => {
    const finder = patternFinder(recognisersOf([entity_type]), 0.4);
    for (const piece of floods(entity_type)) await expectLinear((text) => finder.find(text, 0), piece);
  },
  120_000,
);

/** The reference cost: a recogniser of numbers, on a text of nothing but its numbers. */
const FAIR = { entity_type: 'US_ITIN', piece: '912 45 6789 ' };
/** Its minimum so far, in milliseconds. */
let fairest = Infinity;
/**
 * Maximum factor over the reference cost. PHONE_NUMBER takes 6 times as long and IP_ADDRESS, whose texts are full of matches, 3 times. With a parser that
 * throws or reads each number they took more than twice that.
 */
const DEAREST: Readonly<Record<string, number>> = { PHONE_NUMBER: 16 };
const DEAR = 4.5;
/** Characters of a text. */
const DENSE_LENGTH = SHORT * 4;
const DENSE = [
  'order 212-456-7890, ',
  'invoice Ann Lee 212-456-7890 ',
  '(212) 555 012 ',
  '00 1 2 3 4 5 6 ',
  '0490 75 40 8 ',
  '+44 20 7946 0951 ',
  '1::2::1 ',
  '12:30: ',
];

test.each(Object.keys(SAMPLES))(
  'near-matches of %s are not dear',
  async (entity_type) => {
    const filled = (piece: string): string => piece.repeat(Math.ceil(DENSE_LENGTH / piece.length));
    const fair = patternFinder(recognisersOf([FAIR.entity_type]), 0.4);
    const finder = patternFinder(recognisersOf([entity_type]), 0.4);
    const dearest = DEAREST[entity_type] ?? DEAR;
    for (const piece of [...floods(entity_type), ...DENSE]) {
      // Compares with the minimum so far, which is stricter. Then measures the two again together, because a machine that is briefly slow slows both.
      let least = Infinity;
      for (let round = fairest < Infinity ? 0 : 1; round <= ROUNDS && least > dearest; round++) {
        const unit = round === 0 ? fairest : await milliseconds((text) => fair.find(text, 0), filled(FAIR.piece));
        fairest = Math.min(fairest, unit);
        least = Math.min(least, (await milliseconds((text) => finder.find(text, 0), filled(piece), unit * dearest)) / unit);
      }
      expect(least, JSON.stringify(piece)).toBeLessThanOrEqual(dearest);
    }
  },
  120_000,
);

test('the tagger of names takes linear time on texts that nearly match', async () => {
  const finder = nameFinder(new Set(['PERSON', 'LOCATION']), 0.4);
  for (const piece of ['Ann ', 'A. ', 'van der ', 'Mr ', 'My name is ', 'A', 'Ann-', "O'", 'ANN. ', 'From: ']) {
    await expectLinear((text) => finder.find(text, 0), piece);
  }
}, 120_000);

test('reading the language takes linear time', async () => {
  const read = (text: string): unknown =>
    searchInLanguages(searchWith(nameFinder(new Set(['PERSON']), 0.4)), ['en']).advance(text, true);
  for (const piece of ['Ann, ', 'Ann el ', 'Ann (王), ', 'de ', "d'", 'a-', '(王', 'x', '. ', '\n', 'nicht Ann, '])
    await expectLinear(read, piece);
}, 120_000);

test('all finders together take linear time, including overlaps and patterns of operators', async () => {
  const scanner = makeScanner({
    entities: KNOWN_ENTITIES,
    threshold: 0.05,
    languages: ['en'],
    recognizers: [
      { entity: 'DIGITS', pattern: '[0-9]+', score: 0.5, context: [] },
      { entity: 'PAIR', pattern: '[a-z0-9]{2}', score: 0.45, context: ['card'] },
    ],
  });
  const pieces = [
    '1',
    '12 ',
    '1/1/20',
    'may 5 ',
    '12-12-12',
    '212-555-0123',
    '4111 ',
    'a@a.',
    '1.1.1.1',
    'www.a.com/',
    '<A_1>',
    ':1',
    'Ann ',
  ];
  for (const piece of pieces) await expectLinear((text) => finished(scanner.find(text)), piece);
}, 240_000);
