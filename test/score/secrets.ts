// Scores the guard `secrets` on its corpus, and counts its findings in ordinary text: `npm run score:secrets [-- FOLDER…]`. Without folders, the ordinary
// texts are those of the installed packages. They may contain real secrets, such as keys for tests, so look at each finding with `--show`.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import secrets from '@svc/guard-secrets';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { clean, labelled } from '../../plugins/guard-secrets/src/test-corpus.ts';

const guard = secrets.create(Value.Parse(secrets.options, Value.Default(secrets.options, {})), fakePluginDeps());
const show = process.argv.includes('--show');
const folders = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const ROOT = join(import.meta.dirname, '..', '..', 'node_modules');
const TEXTS = '**/*.{md,txt,js,ts,mjs,cjs,py,go,rs,json,yaml,yml,toml,lock,sum,html,css,sh,rst}';
const MAX_BYTES = 150_000;
const MAX_TOTAL = 17_000_000;

async function findingsIn(text: string) {
  const scan = await guard.scan?.(text, fakeGuardContext());
  if (scan === undefined) throw new Error('the guard does not scan');
  return scan.findings;
}
const print = (line: string) => process.stdout.write(`${line}\n`);

const counts = new Map<string, [found: number, all: number]>();
for (const { kind, text, secret } of labelled()) {
  const start = text.indexOf(secret);
  const isFound = (await findingsIn(text)).some((one) => one.start < start + secret.length && one.end > start);
  const [found, all] = counts.get(kind) ?? [0, 0];
  counts.set(kind, [found + Number(isFound), all + 1]);
  if (show && !isFound) print(`  missed: ${JSON.stringify(text)}`);
}
for (const [kind, [found, all]] of counts) print(`${kind.padEnd(16)} ${found} of ${all} found`);
const harmless = clean();
let alarms = 0;
for (const text of harmless) if ((await findingsIn(text)).length > 0) alarms += 1;
print(`false alarms     ${alarms} in ${harmless.length} texts without a secret`);

let [characters, findings, seconds] = [0, 0, 0];
for (const folder of folders.length > 0 ? folders : [ROOT]) {
  for (const file of globSync(TEXTS, { cwd: folder }).toSorted()) {
    const path = join(folder, file);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (characters >= MAX_TOTAL || stat?.isFile() !== true || stat.size > MAX_BYTES || file.includes('.min.')) continue;
    const text = readFileSync(path, 'utf8');
    const began = process.cpuUsage();
    const found = await findingsIn(text);
    const { user, system } = process.cpuUsage(began);
    seconds += (user + system) / 1e6;
    characters += text.length;
    findings += found.length;
    if (show) for (const { entity_type, start } of found) print(`  ${entity_type} in ${path} at ${start}`);
  }
}
const megabytes = characters / 1e6;
print(`ordinary text    ${findings} findings in ${megabytes.toFixed(1)} MB, ${(megabytes / seconds).toFixed(1)} MB/s`);
