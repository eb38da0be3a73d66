// Generates src/views/vocabulary.generated.ts: node training/vocabulary.ts --sets FOLDER --modules FOLDER --out FILE
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../guard-pii/training/random.ts';
import { english } from '../src/cues/english.ts';
import { indirect } from '../src/cues/indirect.ts';
import { fold } from '../src/views/fold.ts';
import { attack } from './invented.ts';
import { filesOf, ownSet, setsOf } from './sets.ts';

const INVENTED = 6000;
/** Words of attacks, which misspelt words may stand for. */
const TARGETS = 1200;
const MIN_TARGET = 3;
/** All words, the most frequent first. */
const COMMON = 6000;

const { values: options } = parseArgs({
  options: { sets: { type: 'string' }, modules: { type: 'string' }, out: { type: 'string' } },
});
const { sets = '', modules = '', out = '' } = options;

const counted = (texts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(fold(text).match(/(?<![\p{L}\p{N}'])[a-z]{1,16}(?:'[a-z]{1,3})?(?![\p{L}\p{N}'])/gu)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
};
/** Most frequent first; words of the same frequency in the order of the alphabet. */
const ranked = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([word]) => word);

const random = new Random(20261127);
const texts = [...setsOf(sets), ...ownSet(join(import.meta.dirname, '..', 'corpus')), ...filesOf(modules)].filter(
  // It is full of swear words.
  ({ source }) => source !== 'in-the-wild',
);
const all = counted(texts.map(({ text }) => text));
const isEnglish = (word: string): boolean => (all.get(word) ?? 0) >= 5;
const attacks = [
  ...texts.filter((text) => text.attack).map(({ text }) => text),
  ...Array.from({ length: INVENTED }, () => attack(random)),
];
const written = [...english, ...indirect].flatMap(
  ({ pattern }) => pattern.source.match(/(?<![a-z\\])[a-z]{4,16}(?![a-z[(?])/g) ?? [],
);
const frequent = ranked(counted(attacks))
  .filter((word) => word.length >= MIN_TARGET && isEnglish(word))
  .slice(0, TARGETS);
const targets = [...new Set([...frequent, ...written.filter((word) => all.has(word))])];
const SHORT: readonly string[] = 'a i an as at am be by do go he hi if in is it me my no of ok on or so to up us we ai oh'.split(
  ' ',
);
const isWhole = (word: string): boolean => word.length > 2 || SHORT.includes(word);
const common = ranked(all)
  .filter((word) => isWhole(word) && isEnglish(word))
  .slice(0, COMMON);
writeFileSync(
  out,
  `// Made by training/vocabulary.ts; training/README.md says from what. Do not edit.
/** Words of attacks with at least ${MIN_TARGET} letters. */
export const TARGETS = "${targets.join(' ')}";
/** Common English words, the most frequent first. */
export const COMMON = "${common.join(' ')}";
`,
);
