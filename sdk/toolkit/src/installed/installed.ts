import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';

/** Packages are missing. The message has the command that installs them, and no value of the configuration. */
export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError';

  constructor(...packages: readonly string[]) {
    const [is, names] = [packages.length === 1 ? 'is' : 'are', packages.join(' ')];
    super(`${packages.join(' and ')} ${is} not installed: run npm install ${names} in the folder of the configuration`);
  }
}

/**
 * The URL of a module in the folder of the configuration or, if it is not there, beside the plugin. Null if it is not installed.
 * @param specifier a package, or a path that it exports
 * @param plugin the plugin's `import.meta.url`
 */
export function installedUrl(specifier: string, directory: string, plugin: string): string | null {
  for (const parent of [pathToFileURL(join(directory, 'package.json')).href, plugin]) {
    try {
      return resolve(specifier, parent);
    } catch {
      // Not there.
    }
  }
  return null;
}

/**
 * The URLs of several packages, in their order.
 * @throws {NotInstalledError} with all that are missing
 */
export function requireInstalled(packages: readonly string[], directory: string, plugin: string): string[] {
  const urls = packages.map((name) => installedUrl(name, directory, plugin));
  const missing = packages.filter((_, index) => urls[index] === null);
  if (missing.length > 0) throw new NotInstalledError(...missing);
  return urls.filter((url) => url !== null);
}
