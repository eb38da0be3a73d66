import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '..', '..', 'scripts', 'build.js');

/** Builds anew if a source changed, because tests that start the server use the build, even if vitest is run directly. */
export default function freshBuild(): void {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
}
