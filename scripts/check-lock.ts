// Checks package-lock.json. If a registry lacks a binary for another platform, npm silently drops it from the lock, and `npm ci` fails on that
// platform. Also checks that all packages of a release have the same version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionProblems } from './release-versions.ts';

export interface Lock {
  /** Packages by folder; '' is the root. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  /** Whether it is a link to the folder `resolved`. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The problems, one per line. */
export function lockProblems({ packages }: Lock): string[] {
  return [...missing(packages), ...wrongVersions(packages)];
}

function missing(packages: Lock['packages']): string[] {
  return Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => lockedFolder(packages, folder, name) === undefined)
      .map((name) => `${folder || 'package.json'} needs ${name}, which is not in the lock`),
  );
}

/** Finds a dependency like Node: in the package itself, then in every folder above. */
export function lockedFolder(packages: Lock['packages'], from: string, name: string): string | undefined {
  const folders = [from];
  for (let folder = from; folder !== ''; ) {
    folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    folders.push(folder);
  }
  return folders
    .map((folder) => `${folder === '' ? '' : `${folder}/`}node_modules/${name}`)
    .find((place) => Object.hasOwn(packages, place));
}

/** Problems of the lock of scripts/node. */
export function nodeProblems({ packages }: Lock): string[] {
  const pins = Object.entries(packages['']?.optionalDependencies ?? {});
  if (pins.length === 0) return ['no Node is pinned'];
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
  const read = (file: string): Lock => JSON.parse(readFileSync(join(import.meta.dirname, '..', file), 'utf8'));
  const [lock, nodeLock] = ['package-lock.json', 'scripts/node/package-lock.json'] as const;
  const problems = [
    ...lockProblems(read(lock)).map((problem) => `${lock}: ${problem}`),
    ...nodeProblems(read(nodeLock)).map((problem) => `${nodeLock}: ${problem}`),
    ...versionProblems(join(import.meta.dirname, '..')),
  ];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
