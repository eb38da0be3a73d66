// Generates src/languages/words.generated.ts: frequent words, and how much each speaks against a language.
// node training/language-words.ts --wordfreq FOLDER --out src/languages/words.generated.ts
// FOLDER is `wordfreq/data` of an installation of the Python package wordfreq. The same package gives the same file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { LATIN } from '../src/languages/languages.ts';
import { FIRST_NAME } from '../src/names/lists.ts';
import { model } from '../src/names/model.ts';
import { hashOf } from '../src/names/words.ts';
import { unpacked } from './message-pack.ts';

/** The words of a language that are listed. */
const WORDS = 1500;
/** Less frequent words that are also given names say nothing about a language. */
const NAMES_FROM = 150;
/** A word's number is the factor by which it is rarer than in the best language, in units of half a natural logarithm. */
const UNIT = 0.5;
const MAX_PENALTY = 8;
/** For a word that a list does not have: below the least frequency in the lists, 1e-6. */
const RARE = Math.log(3e-7);
/** A word that is about as frequent in all languages says nothing. */
const MIN_PENALTY = 2;
const IS_WORD = /^\p{Ll}[\p{Ll}'-]*$/u;

const { wordfreq, out } = parseArgs({ options: { wordfreq: { type: 'string' }, out: { type: 'string' } } }).values;
if (wordfreq === undefined || out === undefined) throw new Error('--wordfreq FOLDER --out FILE');

const frequencies = LATIN.map((language) => frequenciesOf(join(wordfreq, `small_${language}.msgpack.gz`)));
const words = new Set(
  frequencies.flatMap((of) =>
    [...of.keys()]
      .filter((word) => IS_WORD.test(word))
      .slice(0, WORDS)
      .filter(isNoName),
  ),
);
const byPenalties = Map.groupBy([...words].sort(), penaltiesOf);
const lines = [...byPenalties]
  .filter(([penalties]) => [...penalties].some((penalty) => Number(penalty) >= MIN_PENALTY))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([penalties, own]) => `  ${penalties} ${own.join(' ')}`);
writeFileSync(
  out,
  `// Made by training/language-words.ts from wordfreq by R. Speer (CC BY-SA 4.0). Do not edit.
/** Words after their penalty in each of the languages of {@link LATIN}: 0 where the word is most frequent, ${MAX_PENALTY} where it is rarest. */
export const LANGUAGE_WORDS = \`
${lines.join('\n')}
\`;
`,
);

/** The natural logarithm of the frequency of each word, from the most frequent. */
function frequenciesOf(path: string): Map<string, number> {
  const [, ...bins] = unpacked(gunzipSync(readFileSync(path))) as [unknown, ...string[][]];
  // Bin n has the words of frequency 10 ** (-n / 100).
  return new Map(bins.flatMap((own, bin) => own.map((word) => [word, (-bin / 100) * Math.LN10] as const)));
}

function isNoName(word: string, rank: number): boolean {
  return rank < NAMES_FROM || (model().lists.of(hashOf(word)) & FIRST_NAME) === 0;
}

function penaltiesOf(word: string): string {
  const all = frequencies.map((of) => of.get(word) ?? RARE);
  const best = Math.max(...all);
  return all.map((own) => Math.min(MAX_PENALTY, Math.round((best - own) / UNIT))).join('');
}
