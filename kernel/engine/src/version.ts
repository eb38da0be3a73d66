import { createRequire } from 'node:module';

/** The release of every package, as npm writes it (`2.0.0-alpha.1`). Both src/ and dist/ lie directly in the package's folder. */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version;

/** The same release as PEP 440 writes it (`2.0.0a1`), which is how people and openapi.json see it. */
export function pep440(semver: string): string {
  return semver.replace(
    /-(alpha|beta|rc)\.(\d+)$/,
    (_, stage: string, n: string) => `${stage === 'rc' ? 'rc' : stage.charAt(0)}${n}`,
  );
}
