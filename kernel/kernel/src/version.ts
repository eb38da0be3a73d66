import { readFileSync } from 'node:fs';

/** The version of all packages, as npm writes it (`2.0.0-alpha.1`). */
export const VERSION: string = readVersion();

function readVersion(): string {
  // Both src/ and dist/ are directly in the package's folder.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest))
    throw new Error('package.json has no version');
  return String(manifest.version);
}

/** The same version in the form of PEP 440 (`2.0.0a1`), for people and openapi.json. */
export function pep440(semver: string): string {
  return semver.replace(
    /-(alpha|beta|rc)\.(\d+)$/,
    (_, stage: string, n: string) => `${stage === 'rc' ? 'rc' : stage.charAt(0)}${n}`,
  );
}
