// Run as a process of its own, whose output is a list of {@link Constructed} as JSON: every regular expression that is put together while
// the guards are loaded and used, and where in their sources. It has to be asked before any of them is loaded.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FOR_TESTS } from './for-tests.ts';

export interface Constructed {
  readonly source: string;
  readonly flags: string;
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
const made: Constructed[] = [];

function record(pattern: RegExp): RegExp {
  // The line below this function's and the trap's own.
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
// Some are made with the first text that asks for them.
const { contextHere, makeOwnGuard, OWN_GUARDS, segmentOf } = await import('../own-guards.ts');
for (const name of Object.keys(OWN_GUARDS)) {
  await makeOwnGuard(name).check([segmentOf('ingress', 'Ann Lee, +44 20 7946 0958')], contextHere('ingress'));
}
process.stdout.write(JSON.stringify(made));
