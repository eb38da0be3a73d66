// Counts the persons found in files, for example in code: node training/names-in-files.ts --folder FOLDER --files '**/*.go' [--show N]
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findNames } from '../src/names/find-names.ts';

/** From each file, this many characters are read at most, and from all files together. */
const MAX_OF_FILE = 40_000;
const MAX_TOTAL = 2_000_000;
const PERSONS: ReadonlySet<string> = new Set(['PERSON']);

const { values } = parseArgs({
  options: { folder: { type: 'string' }, files: { type: 'string' }, show: { type: 'string', default: '0' } },
});
const { folder, files, show } = values;
if (folder === undefined || files === undefined) throw new Error('--folder FOLDER --files PATTERN');

const paths = globSync(files, { cwd: folder })
  .sort()
  .filter((path) => statSync(join(folder, path)).isFile());
const step = Math.max(1, Math.floor((paths.length * MAX_OF_FILE) / (8 * MAX_TOTAL)));
const shown: string[] = [];
let characters = 0;
let persons = 0;
for (let at = 0; at < paths.length && characters < MAX_TOTAL; at += step) {
  const text = readFileSync(join(folder, paths[at] ?? ''), 'utf8').slice(0, MAX_OF_FILE);
  characters += text.length;
  for (const { start, end } of findNames(text, PERSONS)) {
    persons += 1;
    shown.push(
      JSON.stringify(`${text.slice(Math.max(0, start - 40), start)}[[${text.slice(start, end)}]]${text.slice(end, end + 20)}`),
    );
  }
}
console.log(
  `${((persons / characters) * 100_000).toFixed(1)} persons in 100 kB (${persons} in ${characters} characters of ${folder})`,
);
const every = Math.max(1, Math.floor(shown.length / Math.max(1, Number(show))));
for (let at = 0; at < shown.length && Number(show) > 0; at += every) console.log(shown[at]);
