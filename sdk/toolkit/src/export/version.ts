import { readFileSync } from 'node:fs';

/** The version of all packages of this release. */
export const VERSION = readVersion();

function readVersion(): string {
  // src/export/ and dist/export/ are at the same depth.
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}
