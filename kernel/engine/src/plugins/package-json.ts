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
  /** The plugin manifest as written; undefined where there is none. */
  readonly svc: unknown;
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/** Null where there is no such file or it holds no JSON object. */
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
 * Real folder of a dependency as Node would find it from `fromFile`; null where it is not installed. Reads no `exports`, so a package
 * needs not export its package.json, and follows links, so pnpm's layout works.
 */
export function findPackage(name: string, fromFile: string): string | null {
  const from = join(realpathSync(dirname(fromFile)), 'package.json');
  // Asked with a subpath: for a bare name that is also a core module's, Node gives no folders.
  for (const modules of createRequire(from).resolve.paths(`${name}/package.json`) ?? []) {
    const directory = join(modules, name);
    if (isReadableFile(join(directory, 'package.json'))) return realpathSync(directory);
  }
  return null;
}

/** As Node itself looks: where it may not look (the home folder of a service that is shut off from it), there is nothing. */
function isReadableFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
