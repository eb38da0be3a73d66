import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isObject } from '@svc/contracts';

interface PackageJson {
  readonly version: string;
  /** Names under dependencies and optionalDependencies. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  readonly type: unknown;
  /** The plugin manifest as written; undefined if there is none. */
  readonly svc: unknown;
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/** Null if there is no such file, or it contains no JSON object. */
export function readPackageJson(file: string): PackageJson | null {
  let fields: unknown;
  try {
    fields = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  if (!isObject(fields)) return null;
  return {
    version: typeof fields.version === 'string' ? fields.version : '0.0.0',
    dependencies: [...keysOf(fields.dependencies), ...keysOf(fields.optionalDependencies)],
    devDependencies: keysOf(fields.devDependencies),
    type: fields.type,
    svc: fields.svc,
  };
}

/** The package.json in `directory` or the nearest folder above it. */
export function nearestPackageJson(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (isReadableFile(file)) return file;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * Real path of a dependency's folder, resolved as Node does from `fromFile`. Null if it is not installed. Ignores `exports`, so a package need not
 * export its package.json. Follows links, as pnpm's layout requires.
 */
export function findPackage(name: string, fromFile: string): string | null {
  const from = join(realpathSync(dirname(fromFile)), 'package.json');
  // A subpath is needed: for a bare name that is also the name of a core module, Node returns no folders.
  for (const modules of createRequire(from).resolve.paths(`${name}/package.json`) ?? []) {
    const directory = join(modules, name);
    if (isReadableFile(join(directory, 'package.json'))) return realpathSync(directory);
  }
  return null;
}

/**
 * Treats a file that this process has no right to read (such as one in a home folder under systemd's `ProtectHome`) as absent, as Node's own lookup
 * does.
 */
function isReadableFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
