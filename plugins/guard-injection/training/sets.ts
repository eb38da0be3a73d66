import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text from a source. Attacks of one source are left out together to measure how the model does without it. */
export interface Text {
  readonly source: string;
  readonly attack: boolean;
  readonly text: string;
  readonly importance: number;
}

/** Attacks are few, so they count more. Sources in which many texts only ask for something forbidden count less. */
const IMPORTANCE: Readonly<Record<string, number>> = { 'in-the-wild': 1, cyberseceval: 1.5 };
const ATTACK = 3;
const MAX_CHARACTERS = 20_000;
const MAX_FILES = 300;

/** The sets of a folder: `attack.NAME.jsonl` and `ordinary.NAME.jsonl`. */
export function setsOf(folder: string): Text[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .flatMap((file) => {
      const [label, source = ''] = file.split('.');
      return textsOf(join(folder, file)).map((text) => textOf(source, label === 'attack', text.slice(0, MAX_CHARACTERS)));
    })
    .flatMap(partsOf);
}

/** The half of this package's set that authors may look at. */
export function ownSet(folder: string): Text[] {
  return (['attacks', 'harmless'] as const).flatMap((name) =>
    textsOf(join(folder, `${name}.jsonl`))
      .filter(isEven)
      .map((text) => textOf('own', name === 'attacks', text)),
  );
}

/** As `npm run score:injection` divides the set. */
function isEven(text: string): boolean {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0;
}

/** Documentation and code of half of the installed packages; `npm run score:injection` tests the other half. */
export function filesOf(modules: string): Text[] {
  return ['{*,@*/*}/README.md', '{*,@*/*}/CHANGELOG.md', '{*,@*/*}/{lib,dist,src}/*.js', '{*,@*/*}/package.json'].flatMap(
    (pattern) =>
      globSync(pattern, { cwd: modules })
        .sort()
        .filter(isForTraining)
        .slice(0, MAX_FILES)
        .map((file) => textOf('files', false, readFileSync(join(modules, file), 'utf8').slice(0, MAX_CHARACTERS)))
        .flatMap(partsOf),
  );
}

/** By the name of the package, so that a package stays in its half. */
export function isForTraining(file: string): boolean {
  const [scope = '', name = ''] = file.split('/');
  const of = scope.startsWith('@') ? `${scope}/${name}` : scope;
  return isEven(of);
}

function textsOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly text: string }).text);
}

function textOf(source: string, attack: boolean, text: string): Text {
  return { source, attack, text, importance: attack ? (IMPORTANCE[source] ?? ATTACK) : 1 };
}

/** The guard reads long texts in parts of 4,000 characters. Only the beginning of an attack is known to be one. */
function partsOf(whole: Text): Text[] {
  const parts = whole.text.match(/[\s\S]{1,4000}/g) ?? [];
  return (whole.attack ? parts.slice(0, 1) : parts).map((text) => ({ ...whole, text }));
}
