import { guardConformance } from '@svc/sdk/testing';
import { finderConformance } from '@svc/toolkit/testing';
import { describe, expect, test } from 'vitest';
import { choose } from './chosen.ts';
import { exactFinder } from './exact-finder.ts';
import secrets from './index.ts';
import { CLEAN, DEFAULTS, SAMPLES } from './samples.ts';

const texts = SAMPLES.map(([, , text]) => text);
/** A few kinds are enough here: stream.test.ts checks that every kind gives the same result streamed and whole. */
const KINDS = ['AWS_SECRET_KEY', 'GITHUB_TOKEN', 'GOOGLE_OAUTH', 'URL_PASSWORD', 'JWT', 'PRIVATE_KEY', 'SECRET'];
const oneOfEach = KINDS.flatMap((kind) => SAMPLES.find(([entity]) => entity === kind)?.[2] ?? []);
const few = oneOfEach.slice(-2);
const SETS = { sanitize: oneOfEach, block: few, require_approval: few } as const;

describe.each(['sanitize', 'block', 'require_approval'] as const)('guard conformance of %s', (verdict) => {
  for (const { name, run } of guardConformance({
    guard: (deps) => secrets.create({ ...DEFAULTS, verdict }, deps),
    samples: SETS[verdict],
    clean: CLEAN,
  })) {
    test(name, { timeout: 120_000 }, run);
  }
});

describe('finder conformance', () => {
  const finder = exactFinder(choose(DEFAULTS));
  const short = [...texts, ...CLEAN].filter((text) => text.length < 300);

  test('has texts', () => expect(short.length).toBeGreaterThan(30));
  for (const { name, run } of finderConformance({ finder, texts: [...short, short.join(' ').slice(0, 900)] })) test(name, run);
});
