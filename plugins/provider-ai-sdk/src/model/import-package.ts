import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '@svc/sdk';
import { PackageError } from './package-error.ts';

/** The file of a package that `folder` has installed; otherwise its name, which is then looked for from this plugin. */
function locate(specifier: string, folder: string): string {
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(specifier)).href;
  } catch {
    return specifier;
  }
}

/**
 * Imports a package as Node finds it from `folder`, or else from this plugin.
 * @throws {PackageError}
 */
export async function importPackage(specifier: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(/* @vite-ignore */ locate(specifier, folder));
  } catch (error) {
    const isMissing = isObject(error) && error.code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing
      ? new PackageError('not_installed', `npm install ${specifier} in the folder of the configuration`)
      : new PackageError('import_failed', `${specifier} does not load: install a release of it that this Node can run`);
  }
}
