// Prints how many attacks the guard `injection` detects, and how many harmless texts it flags, with its default options. Authors of the guard may
// look at the develop half (`--misses` lists its errors there). Of the judge half, only the rates are ever shown. `--sets FOLDER` also scores sets of
// others, files `attack.NAME.jsonl` and `ordinary.NAME.jsonl` with a line `{ text, role }` for each text; `--sensitivity` sets the option.
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import injection from '@svc/guard-injection';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { isForTraining } from '../../plugins/guard-injection/training/sets.ts';

interface Entry {
  readonly text: string;
  readonly language: string;
  readonly kind: string;
  readonly role: string;
}

const CORPUS = join(import.meta.dirname, '..', '..', 'plugins', 'guard-injection', 'corpus');
const { values: given } = parseArgs({
  options: {
    misses: { type: 'boolean', default: false },
    sets: { type: 'string' },
    sensitivity: { type: 'string', default: 'medium' },
  },
});
const { misses } = given;
const options = Value.Parse(injection.options, Value.Default(injection.options, { sensitivity: given.sensitivity }));
const guard = injection.create(options, fakePluginDeps());

function entries(name: string): Entry[] {
  const lines = readFileSync(join(CORPUS, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** Depends only on the text, so that a text stays in its half when others are added. */
function halfOf({ text }: Entry): 'develop' | 'judge' {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0 ? 'develop' : 'judge';
}

/** Texts of tools are untrusted, as routes mark them by default. */
async function isRefused({ text, role }: Pick<Entry, 'text' | 'role'>): Promise<boolean> {
  const origin = role === 'tool' ? 'tool' : 'user';
  const segment = { index: 0, text, kind: 'text', role, path: 'messages.0.content', choice: null } as const;
  const { verdict } = await guard.check([{ ...segment, origin, untrusted: origin === 'tool' }], fakeGuardContext());
  return verdict !== 'allow';
}

/** Files of the installed packages: what tools of a coding agent return. */
const ORDINARY = ['{*,@*/*}/README.md', '{*,@*/*}/CHANGELOG.md', '{*,@*/*}/package.json', '{*,@*/*}/{lib,dist,src}/*.js'];
const MAX_FILES = 500;
const MAX_CHARACTERS = 20_000;

for (const half of ['develop', 'judge'] as const) {
  for (const [name, meaning] of [
    ['attacks', 'attacks found'],
    ['harmless', 'false alarms'],
  ] as const) {
    const chosen = entries(name).filter((entry) => halfOf(entry) === half);
    let refused = 0;
    for (const entry of chosen) {
      const is = await isRefused(entry);
      refused += Number(is);
      const wrong = is !== (name === 'attacks');
      if (misses && wrong && half === 'develop') process.stdout.write(`  ${JSON.stringify(entry)}\n`);
    }
    const rate = ((100 * refused) / chosen.length).toFixed(1);
    process.stdout.write(`${half.padEnd(7)}  ${meaning}: ${refused} of ${chosen.length} (${rate} %)\n`);
  }
}

const cwd = join(import.meta.dirname, '..', '..', 'node_modules');
for (const pattern of ORDINARY) {
  const files = globSync(pattern, { cwd })
    .sort()
    .filter((file) => !isForTraining(file))
    .slice(0, MAX_FILES);
  let refused = 0;
  for (const file of files) {
    const is = await isRefused({ text: readFileSync(join(cwd, file), 'utf8').slice(0, MAX_CHARACTERS), role: 'tool' });
    refused += Number(is);
    if (is && misses) process.stdout.write(`  ${file}\n`);
  }
  process.stdout.write(`results of tools  ${pattern}: ${refused} of ${files.length} false alarms\n`);
}

/** The 95 % interval of a rate after Wilson. */
function interval(found: number, all: number): string {
  const z = 1.96;
  const rate = found / all;
  const middle = rate + (z * z) / (2 * all);
  const spread = z * Math.sqrt((rate * (1 - rate)) / all + (z * z) / (4 * all * all));
  const [low, high] = [middle - spread, middle + spread].map((limit) => ((100 * limit) / (1 + (z * z) / all)).toFixed(1));
  return `${low} to ${high} %`;
}

const folder = given.sets;
for (const file of folder === undefined ? [] : readdirSync(folder).sort()) {
  const lines = readFileSync(join(folder ?? '', file), 'utf8')
    .trim()
    .split('\n');
  let refused = 0;
  for (const line of lines) refused += Number(await isRefused({ role: 'user', ...(JSON.parse(line) as { text: string }) }));
  const rate = ((100 * refused) / lines.length).toFixed(1);
  process.stdout.write(`${file}: ${refused} of ${lines.length} (${rate} %; ${interval(refused, lines.length)})\n`);
}
