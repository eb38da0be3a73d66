import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '..', '..', 'scripts', 'build.js');

/** Tests that start the server start its build: it is made anew where a source changed, also where vitest is run by itself. */
export default function freshBuild(): void {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
}
