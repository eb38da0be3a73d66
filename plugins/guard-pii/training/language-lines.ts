// Writes labelled texts in several languages as lines for `npm run score:pii -- FILE --utf16`: node training/language-lines.ts --corpora FOLDER > FILE.jsonl
// FOLDER has the repositories under their own names. training/README.md names them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { columnsOf } from './columns.ts';
import type { Document } from './documents.ts';
import { translated } from './parallel.ts';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['per', 'PERSON'],
  ['loc', 'LOCATION'],
]);
/** Sentences of one language, translated into the others: annotated by people. */
const ANNOTATED = { en: 'English', de: 'German', pt: 'Portuguese', ru: 'Russian', zh: 'Chinese' };
/** The same sentences, with the names of the English ones. */
const TRANSLATED = { fr: 'French', es: 'Spanish', it: 'Italian', pl: 'Polish' };
/** Tokens of a newspaper that make a text. It has no ends of sentences. */
const TOKENS = 200;

const { corpora } = parseArgs({ options: { corpora: { type: 'string' } } }).values;
if (corpora === undefined) throw new Error('--corpora FOLDER');
const read = (...path: string[]): string => readFileSync(join(corpora, ...path), 'utf8');

const annotated = Object.entries(ANNOTATED).map(([language, name]): [string, Document<string>[]] => {
  const file = read(`UNER_${name}-PUD`, `${language}_pud-ud-test.iob2`);
  return [language, columnsOf(file, ENTITIES, { token: 1, label: 2, text: true })];
});
for (const [language, texts] of annotated) write(language, texts);
const english = new Map(annotated.flatMap(([language, texts]) => (language === 'en' ? texts.map((one) => [one.text, one]) : [])));
for (const [language, name] of Object.entries(TRANSLATED))
  write(language, translated(read(`UD_${name}-PUD`, `${language}_pud-ud-test.conllu`), english));
write('nl', columnsOf(newspaper(read('ner-corpora', 'enp_NL.kb.bio', 'enp_NL.kb.bio')), ENTITIES));
write('ja', japanese(read('ner-wikipedia-dataset', 'ner.json')));

function write(language: string, texts: readonly Document<string>[]): void {
  for (const { text, spans } of texts) {
    const labelled = spans.map(({ label, start, end }) => ({ entity_type: label, start, end }));
    process.stdout.write(`${JSON.stringify({ language, text, spans: labelled })}\n`);
  }
}

function newspaper(file: string): string {
  const lines = file.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => (at % TOKENS === 0 ? `\n${line}` : line)).join('\n');
}

function japanese(file: string): Document<string>[] {
  const labels = new Map([
    ['人名', 'PERSON'],
    ['地名', 'LOCATION'],
  ]);
  const rows: { text: string; entities: { type: string; span: [number, number] }[] }[] = JSON.parse(file);
  return rows.map(({ text, entities }) => ({
    text,
    spans: entities.flatMap(({ type, span: [start, end] }) => {
      const label = labels.get(type);
      return label === undefined ? [] : [{ label, start, end }];
    }),
    invented: false,
    pattern: text,
  }));
}
