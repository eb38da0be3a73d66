// The version of a release is `version` of the root's package.json. All other files that name it are derived from it.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pep440 } from '../kernel/kernel/src/version.ts';

const MANIFESTS = ['package.json', '{kernel,sdk,plugins,test}/*/package.json', 'host/package.json'];
const PYPROJECT = 'sdk/python/pyproject.toml';
const CHART = 'deploy/helm/svc/Chart.yaml';
/** Of a release, or of one before it. */
const SEMVER = /^\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/;

export function versionOf(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/**
 * Writes the version to every file that names it, except package-lock.json and openapi.json, which npm and the build make.
 * @throws {Error} if it is not of the form `2.0.0`, `2.0.0-alpha.1`, `2.0.0-beta.1` or `2.0.0-rc.1`
 */
export function setVersion(root: string, version: string): void {
  if (!SEMVER.test(version)) throw new Error(`${version} is not a version such as 2.0.0 or 2.0.0-alpha.1`);
  for (const [file, text] of withVersion(root, version)) writeFileSync(join(root, file), text);
}

/** Files that name another version than the root's package.json. */
export function versionProblems(root: string): string[] {
  const version = versionOf(root);
  return withVersion(root, version)
    .filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text)
    .map(([file]) => `${file} does not have the version ${version} everywhere: run npm run release -- version ${version}`);
}

/** The texts of the files with the version. */
function withVersion(root: string, version: string): [string, string][] {
  const manifests = globSync(MANIFESTS, { cwd: root }).map((file): [string, string] => {
    const text = readFileSync(join(root, file), 'utf8');
    const own = text.replace(/^( {2}"version": ")[^"]+/m, `$1${version}`);
    return [file, own.replace(/^( {4}"@svc\/[a-z-]+": ")[^"]+/gm, `$1${version}`)];
  });
  const python = readFileSync(join(root, PYPROJECT), 'utf8').replace(/^version = ".*"$/m, `version = "${pep440(version)}"`);
  const chart = readFileSync(join(root, CHART), 'utf8').replace(/^(version|appVersion): .*$/gm, `$1: ${version}`);
  return [...manifests, [PYPROJECT, python], [CHART, chart]];
}
