// Generates src/learned/model.generated.ts: node training/train.ts --sets FOLDER --modules FOLDER [--evaluate] [--out FILE]
// training/README.md explains the inputs. The same input gives the same file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { Random } from '../../guard-pii/training/random.ts';
import { oddsOf, type Weights } from '../src/learned/model.ts';
import { disguises } from '../src/views/disguises.ts';
import { rot13 } from '../src/views/encodings.ts';
import { fold } from '../src/views/fold.ts';
import { attack, misspelt, ordinary } from './invented.ts';
import { Learner, type Sample, sampleOf } from './learner.ts';
import { filesOf, ownSet, setsOf, type Text } from './sets.ts';

const EPOCHS = 25;
const INVENTED_EACH_EPOCH = 1500;
/** Every fourth invented attack also stands within an ordinary text of up to so many characters. */
const AROUND = 1500;

/** The share of attacks that are learned with misspelt words, too. */
const MISSPELT = 0.2;

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string' },
    modules: { type: 'string' },
    evaluate: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const given = (name: 'sets' | 'modules'): string => {
  const value = options[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
};

const texts = [...setsOf(given('sets')), ...ownSet(join(import.meta.dirname, '..', 'corpus')), ...filesOf(given('modules'))];
if (options.evaluate) evaluate();
if (options.out !== undefined) write(train(texts), options.out);

function train(all: readonly Text[]): Weights {
  const random = new Random(20261127);
  const learner = new Learner(0.1, 1e-5);
  const real = all.flatMap(samplesOf);
  const around = all.filter((text) => !text.attack);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const noisy = all
      .filter((text) => text.attack && random.chance(MISSPELT))
      .map((text) => sampleOf(fold(misspelt(random, text.text)), true, text.importance / 2));
    for (const sample of random.shuffle([...real, ...noisy, ...invented(random, around)])) learner.learn(sample);
  }
  return learner.quantised();
}

/** A text; of ordinary ones also what they may be taken for, because the guard reads that too. */
function samplesOf({ text, attack: is, importance }: Text): Sample[] {
  const folded = fold(text);
  if (is) return [sampleOf(folded, true, importance)];
  const { forms, foreign } = disguises(folded);
  return [folded, ...forms, ...(foreign ? [fold(rot13(text))] : [])].map((form) => sampleOf(form, false, importance));
}

function invented(random: Random, around: readonly Text[]): Sample[] {
  const samples: Sample[] = [];
  for (let number = 0; number < INVENTED_EACH_EPOCH; number++) {
    const text = attack(random);
    const usual = { source: 'invented', attack: false, text: ordinary(random), importance: 1 };
    samples.push(sampleOf(fold(text), true, 1), ...samplesOf(usual));
    if (number % 4 === 0) samples.push(sampleOf(fold(within(random, random.of(around).text.slice(0, AROUND), text)), true, 0.5));
  }
  return samples;
}

function within(random: Random, outer: string, inner: string): string {
  const at = Math.max(0, outer.indexOf(' ', random.below(outer.length)));
  return `${outer.slice(0, at)}\n${inner}\n${outer.slice(at)}`;
}

/** Leaves out one source of attacks at a time, and prints how many of its attacks a model finds that flags 1 or 2 % of ordinary texts of others. */
function evaluate(): void {
  const fifth = (text: Text): boolean => text.text.length % 5 === 0;
  for (const source of new Set(texts.filter((text) => text.attack).map((text) => text.source))) {
    const weights = train(texts.filter((text) => (text.attack ? text.source !== source : !fifth(text))));
    const odds = (chosen: readonly Text[]): number[] =>
      chosen.map(({ text }) => oddsOf(fold(text), weights)).sort((a, b) => b - a);
    const harmless = odds(texts.filter((text) => !text.attack && fifth(text)));
    const attacks = odds(texts.filter((text) => text.attack && text.source === source));
    const found = [0.01, 0.02].map((rate) => {
      const limit = harmless[Math.floor(harmless.length * rate)] ?? 0;
      return `${attacks.filter((each) => each > limit).length} of ${attacks.length} at ${100 * rate} %`;
    });
    process.stdout.write(`${source}: ${found.join(', ')}\n`);
  }
}

function write({ table, scale, bias }: Weights, path: string): void {
  writeFileSync(
    path,
    `// Made by training/train.ts; training/README.md says from what. Do not edit.
export const MODEL = {
  scale: ${scale},
  bias: ${bias},
  /** A weight for each bucket of features; deflated, in base64. */
  data: '${deflateRawSync(Buffer.from(table.buffer), { level: 9 }).toString('base64')}',
} as const;
`,
  );
}
