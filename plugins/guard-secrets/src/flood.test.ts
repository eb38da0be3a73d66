import { finished } from '@svc/toolkit/work';
import { expect, test } from 'vitest';
import { choose } from './chosen.ts';
import { exactFinder } from './exact-finder.ts';
import { DEFAULTS, SAMPLES } from './samples.ts';
import { secretsIn } from './secrets-in.ts';

const SHORT = 10_000;
/** How many times longer the longer text is. It takes this many times as long in linear time, and the square of that in quadratic time. */
const FACTOR = 16;
/** Far from both ratios, because test machines may be busy. */
const MAX_RATIO = 4 * FACTOR;
const RUNS = 3;
/** How often a slow result is measured again, because a machine may be slow for a while. */
const ROUNDS = 5;

const ENTITIES = [...new Set(SAMPLES.map(([entity]) => entity))];
/** Endless repetitions of the beginning of each secret. */
const COMMON = [
  'a',
  'aA1.',
  ' ',
  '-----',
  '-----BEGIN PRIVATE KEY-----',
  'password',
  'password: ',
  'password=a.',
  'eyJ',
  '://a:',
  'sk-',
];

/** Endless near-matches: a secret, most of it, half of it, and the text before it. */
function floods(entity: string): string[] {
  return SAMPLES.filter(([name]) => name === entity).flatMap(([, secret, text]) => [
    text,
    `${secret.slice(0, -1)} `,
    secret.slice(0, Math.ceil(secret.length / 2)),
    text.slice(0, text.indexOf(secret) + 4),
  ]);
}

/** The minimum of several runs, in processor time, so that other load counts little. Stops when a run takes no longer than `enough`. */
async function milliseconds(find: () => unknown, enough = 0): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS && least > enough; run++) {
    const began = process.cpuUsage();
    await find();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

async function expectLinear(entity: string, piece: string): Promise<void> {
  const chosen = choose({ ...DEFAULTS, detectors: [entity] });
  const finder = exactFinder(chosen);
  const find = (length: number) => () =>
    finished(secretsIn(piece.repeat(Math.ceil(length / piece.length)).slice(0, length), chosen, finder));
  await find(SHORT)();
  // Below half a millisecond, the clock and the compiler dominate.
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least > MAX_RATIO; round++) {
    const short = Math.max(await milliseconds(find(SHORT)), 0.5);
    least = Math.min(least, (await milliseconds(find(SHORT * FACTOR), short * MAX_RATIO)) / short);
  }
  expect(least, JSON.stringify(piece)).toBeLessThanOrEqual(MAX_RATIO);
}

test.each(ENTITIES)(
  'the detector of %s takes linear time on texts that nearly match',
  async (entity) => {
    for (const piece of [...floods(entity), ...COMMON].filter((text) => text !== '')) await expectLinear(entity, piece);
  },
  120_000,
);
