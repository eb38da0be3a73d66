// Runs as a separate process. Prints a JSON list of {@link Constructed}: every regular expression constructed while the guards are loaded and used,
// with its place in the source. It must start before any guard is loaded.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FOR_TESTS } from './for-tests.ts';

export interface Constructed {
  readonly source: string;
  readonly flags: string;
  /** Path relative to the project. */
  readonly file: string;
  readonly line: number;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
const made: Constructed[] = [];

function record(pattern: RegExp): RegExp {
  // The caller's line, below this function's and the trap's.
  const [, url = '', line = ''] = /(file:[^)\s]*):(\d+):\d+/.exec(new Error().stack?.split('\n')[3] ?? '') ?? [];
  if (url === '') return pattern;
  const file = relative(ROOT, fileURLToPath(url));
  if (!file.includes('node_modules')) made.push({ source: pattern.source, flags: pattern.flags, file, line: Number(line) });
  return pattern;
}

globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, args: [string, string?]) => record(new target(...args)),
  apply: (target, _self, args: [string, string?]) => record(target(...args)),
});

for (const folder of process.argv.slice(2)) {
  for (const file of globSync(`${folder}/**/*.ts`, { cwd: ROOT })) {
    if (!FOR_TESTS.test(file)) await import(pathToFileURL(join(ROOT, file)).href);
  }
}
// Some expressions are constructed with the first text that needs them.
const { contextHere, makeOwnGuard, OWN_GUARDS, segmentOf } = await import('../own-guards.ts');
for (const name of Object.keys(OWN_GUARDS)) {
  await makeOwnGuard(name).check([segmentOf('ingress', 'Ann Lee, +44 20 7946 0958')], contextHere('ingress'));
}
process.stdout.write(JSON.stringify(made));
