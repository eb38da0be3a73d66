import { finished } from '@svc/toolkit/work';
import { describe, expect, test } from 'vitest';
import { choose } from './chosen.ts';
import { exactFinder } from './exact-finder.ts';
import { DEFAULTS } from './samples.ts';
import { secretsIn } from './secrets-in.ts';
import { clean, labelled } from './test-corpus.ts';

const chosen = choose(DEFAULTS);
const finder = exactFinder(chosen);
const find = (text: string) => finished(secretsIn(text, chosen, finder));

describe('of the corpus', () => {
  test.each(labelled().map(({ kind, text, secret }) => [kind, text, secret] as const))('finds %s in %j', (kind, text, secret) => {
    const start = text.indexOf(secret);
    const found = find(text).filter((one) => one.start < start + secret.length && one.end > start);
    expect(found.map(({ entity_type }) => entity_type)).toContain(kind);
  });

  test.each(clean())('finds nothing in %j', (text) => expect(find(text)).toEqual([]));
});
