import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { disguises } from '../views/disguises.ts';
import { fold } from '../views/fold.ts';
import { conversation } from './conversation.ts';
import type { Cue } from './cue.ts';
import { english } from './english.ts';
import { Grams, tracesOf } from './grams.ts';
import { indirect } from './indirect.ts';
import { languages } from './languages.ts';
import { markdown } from './markdown.ts';
import { needsOf } from './needs.ts';
import { roleSpoof } from './role-spoof.ts';

const CUES: readonly Cue[] = [...english, ...languages, ...conversation, ...indirect, ...roleSpoof, ...markdown];

describe('needsOf', () => {
  test.each<[RegExp, string[][]]>([
    [/ignore/u, [['ignore']]],
    [/(?:ignore|forget) all rules?/u, [['ignore', 'forget'], [' all rule']]],
    [/(?:show|give|x) me/u, [[' me']]],
    [/(?:tell (?:me|us)|say)it/u, [['tell ', 'say'], ['it']]],
    [/(?<!not )drop(?! it)/u, [['drop']]],
    [/(?:all )?the (?:\w{1,3} ){0,2}end/u, [['the '], ['end']]],
    [/summari[sz]e+/u, [['summari']]],
    [/\[inst\]\s{0,3}\p{L}{2}/u, [['[inst]']]],
    [/(?:ab){2,3}cd*/u, [['ab']]],
    [/a|bc/u, []],
    [/\n\nsystem\u00e4x/u, [['\n\nsystem']]],
    [/#{2,6} ?(?:^|\n)x/u, []],
    [/IGNORE/iu, []],
  ])('%s', (pattern, clauses) => {
    expect(needsOf(pattern)).toEqual(clauses);
  });

  test('says something of every cue, so that none is tried on every text', () => {
    expect(CUES.filter(({ pattern }) => needsOf(pattern).length === 0)).toEqual([]);
  });
});

describe('a text', () => {
  const texts = ['attacks', 'harmless'].flatMap((name) =>
    readFileSync(join(import.meta.dirname, '..', '..', 'corpus', `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).text),
  );

  test('holds what is needed wherever a cue matches it', () => {
    let matches = 0;
    for (const text of texts.flatMap((each) => [fold(each), ...disguises(fold(each)).forms])) {
      const grams = new Grams(text);
      for (const { pattern } of CUES) {
        if (!pattern.test(text)) continue;
        matches += 1;
        expect(grams.mayHold(tracesOf(needsOf(pattern))), `${pattern.source} in ${text}`).toBe(true);
      }
    }
    expect(matches).toBeGreaterThan(300);
  });

  test('has every text that stands in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), fc.string({ minLength: 2 }), (a, b, part) => {
        expect(new Grams(a + part + b).mayHold(tracesOf([[part]]))).toBe(true);
      }),
    );
  });

  test('is told from one that has none of a clause', () => {
    const grams = new Grams('please forget the weather');
    expect(grams.mayHold(tracesOf([['ignore', 'forget'], ['weather']]))).toBe(true);
    expect(grams.mayHold(tracesOf([['ignore', 'forget'], ['instruction']]))).toBe(false);
    expect(grams.mayHold(tracesOf([['xy']]))).toBe(false);
    expect(new Grams('').mayHold(tracesOf([['xy']]))).toBe(false);
  });
});

test('no cue remembers where it matched the text before', () => {
  expect(CUES.filter(({ pattern }) => pattern.global || pattern.sticky)).toEqual([]);
});
