// Checks package-lock.json. If a registry lacks a binary for another platform, npm silently drops it from the lock, and `npm ci` fails on that
// platform. Also checks that all packages of a release have the same version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Lock {
  /** Packages by folder; '' is the root. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The problems, one per line. */
export function lockProblems({ packages }: Lock): string[] {
  return [...missing(packages), ...wrongNodes(packages), ...wrongVersions(packages)];
}

function missing(packages: Lock['packages']): string[] {
  return Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(packages, folder, name))
      .map((name) => `${folder || 'package.json'} needs ${name}, which is not in the lock`),
  );
}

/** Searches like Node: in the package itself, then in every folder above. */
function isLocked(packages: Lock['packages'], from: string, name: string): boolean {
  const folders = [from];
  for (let folder = from; folder !== ''; ) {
    folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    folders.push(folder);
  }
  return folders.some((folder) => Object.hasOwn(packages, `${folder === '' ? '' : `${folder}/`}node_modules/${name}`));
}

function wrongNodes(packages: Lock['packages']): string[] {
  const pins = Object.entries(packages['']?.optionalDependencies ?? {}).filter(([name]) => name.startsWith('node-'));
  if (pins.length === 0) return ['package.json pins no Node'];
  return pins
    .filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)
    .map(([name, version]) => `${name} must be ${version} in the lock`);
}

function wrongVersions(packages: Lock['packages']): string[] {
  const release = packages['']?.version;
  return Object.entries(packages)
    .filter(([folder, { version }]) => !folder.split('/').includes('node_modules') && version !== release)
    .map(([folder, { version }]) => `${folder} has version ${version}, the release is ${release}`);
}

if (process.argv[1] === import.meta.filename) {
  const problems = lockProblems(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')));
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
