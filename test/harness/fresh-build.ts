import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = [
  '{kernel/*,sdk/*,plugins/*,host}/{src,pages}/**/*.*',
  '{kernel/*,sdk/*,plugins/*,host}/package.json',
  'scripts/build*',
  'openapi.json',
  'plugin-registry.json',
  'package-lock.json',
];
/** What a build writes first, and what it writes last. */
const BUILT = ['kernel/contracts/dist/index.js', 'host/dist/pages'];

/** Tests that start the server start its build: one that is older than a source is made anew, also where vitest is run by itself. */
export default function freshBuild(): void {
  const times = globSync(SOURCES, { cwd: ROOT, exclude: ['**/*.test.ts'] }).map(changedAt);
  if (Math.min(...BUILT.map(changedAt)) > Math.max(...times)) return;
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.js')], { stdio: 'inherit' });
}

/** Milliseconds since the Unix epoch; 0 for what is not there. */
function changedAt(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
