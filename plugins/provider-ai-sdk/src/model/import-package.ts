import { isObject } from '@svc/sdk';
import { installedUrl } from '@svc/toolkit/installed';
import { PackageError } from './package-error.ts';

/** The package name in a specifier, without a subpath. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * Imports a package, resolved from `folder` or, if it is not there, from this plugin.
 * @throws {PackageError}
 */
export async function importPackage(specifier: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(/* @vite-ignore */ installedUrl(specifier, folder, import.meta.url) ?? specifier);
  } catch (error) {
    const isMissing = isObject(error) && error.code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing
      ? new PackageError('not_installed', `run npm install ${packageOf(specifier)} in the folder of the configuration`)
      : new PackageError(
          'import_failed',
          `${specifier} cannot be loaded: install a release that works with this version of Node`,
        );
  }
}
