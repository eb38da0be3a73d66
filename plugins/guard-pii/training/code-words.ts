// Generates src/names/code-words.generated.ts: words used in programmers' identifiers.
// node training/code-words.ts --modules node_modules --out src/names/code-words.generated.ts
// Reads the type declarations of the packages in a node_modules folder. The same packages give the same file.
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Minimum number of packages or scopes that use a word in identifiers. */
const MIN_OWNERS = 3;
const MIN_LETTERS = 3;
const MAX_FILE = 100_000;
/** Names of authors and places that occur in identifiers of several packages. */
const NAMES: ReadonlySet<string> = new Set(['angeles', 'buelens', 'khafra', 'terdell']);

const { values: options } = parseArgs({ options: { modules: { type: 'string' }, out: { type: 'string' } } });
const { modules, out } = options;
if (modules === undefined || out === undefined) throw new Error('--modules FOLDER --out FILE');

const owners = new Map<string, Set<string>>();
for (const path of globSync('**/*.{ts,mts,cts}', { cwd: modules })) {
  const file = join(modules, path);
  if (!statSync(file).isFile()) continue;
  const [owner = ''] = path.split('/');
  for (const word of wordsOf(readFileSync(file, 'utf8').slice(0, MAX_FILE))) {
    const known = owners.get(word) ?? new Set();
    owners.set(word, known.add(owner));
  }
}
const words = [...owners].flatMap(([word, { size }]) => (size >= MIN_OWNERS && isWanted(word) ? [word] : [])).sort();
writeFileSync(
  out,
  `// Made by training/code-words.ts. Do not edit.
/** Words that identifiers are made of, in lower case. */
export const CODE_WORDS = \`
${linesOf(words).join('\n')}
\`;
`,
);

/** The words of an identifier that has several: `maxRetries`, `HTTP_HEADER`. */
function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [identifier] of text.matchAll(/(?<![\w$'"])[A-Za-z_$][\w$]{2,60}/g)) {
    const parts = identifier
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .split(/[\s_$\d]+/)
      .filter((part) => part !== '');
    if (parts.length > 1) for (const part of parts) found.add(part.toLowerCase());
  }
  return found;
}

function isWanted(word: string): boolean {
  return word.length >= MIN_LETTERS && !NAMES.has(word);
}

function linesOf(list: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of list) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 140) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
