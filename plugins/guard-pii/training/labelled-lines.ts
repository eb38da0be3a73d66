// Writes annotated files of columns as lines for `npm run score:pii -- FILE --utf16`:
// node training/labelled-lines.ts [--token N] [--label N] [--whole] [--hyphens] FILE… > FILE.jsonl
// A line per sentence, or, with --whole, per file. --hyphens: words with hyphens are several tokens.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { columnsOf } from './columns.ts';
import { joined } from './running-text.ts';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['person', 'PERSON'],
  ['per', 'PERSON'],
  ['location', 'LOCATION'],
  ['loc', 'LOCATION'],
  ['norp', 'NRP'],
  ['date', 'DATE_TIME'],
]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    token: { type: 'string', default: '0' },
    label: { type: 'string', default: '-1' },
    whole: { type: 'boolean', default: false },
    hyphens: { type: 'boolean', default: false },
  },
});
for (const file of positionals) {
  const columns = { token: Number(values.token), label: Number(values.label), hyphens: values.hyphens };
  const sentences = columnsOf(readFileSync(file, 'utf8'), ENTITIES, columns);
  for (const { text, spans } of values.whole ? [joined(sentences, ' ')] : sentences) {
    const labelled = spans.map(({ label, start, end }) => ({ entity_type: label, start, end }));
    process.stdout.write(`${JSON.stringify({ text, spans: labelled })}\n`);
  }
}
