import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverPlugins, type PluginCatalogue } from '@svc/kernel/plugins';
import { Value } from 'typebox/value';
import { type LoadOptions, type LoadResult, loadConfig, loadStoreConfig, PluginRegistry } from '../config/index.ts';
import type { Container } from './container.ts';
import { LOGGER, PLUGIN_DEPS } from './tokens.ts';

const PACKAGE = import.meta.resolve('@svc/host/package.json');
const HOST_PACKAGE_JSON = fileURLToPath(PACKAGE);
/** The build puts this file beside the bundles. */
const REGISTRY = new URL('dist/plugin-registry.json', PACKAGE);

/**
 * Reads and checks a configuration, with the plugins of this host and of the operator.
 * @param given `bytes`, `former`: see {@link LoadOptions}
 */
export async function readConfiguration(
  file: string,
  resolveSecrets: boolean,
  container: Container,
  given: Pick<LoadOptions, 'bytes' | 'former'> = {},
): Promise<LoadResult> {
  return loadConfig(resolve(file), { ...(await loadOptions(container)), resolveSecrets, ...given });
}

/** Reads the part of a configuration for the store, with only the secrets in that part. */
export async function readStoreConfiguration(file: string, container: Container): ReturnType<typeof loadStoreConfig> {
  return loadStoreConfig(resolve(file), await loadOptions(container));
}

async function loadOptions(container: Container): Promise<Parameters<typeof loadStoreConfig>[1]> {
  const registry = Value.Parse(PluginRegistry, JSON.parse(await readFile(REGISTRY, 'utf8')));
  const [depsFor, logger] = [container.resolve(PLUGIN_DEPS), container.resolve(LOGGER)];
  return { hostPackageJson: HOST_PACKAGE_JSON, registry, depsFor, logger, env: process.env };
}

/** The plugins of the host, for commands without a configuration. */
export function ownPlugins(): PluginCatalogue {
  return discoverPlugins({ roots: [{ file: HOST_PACKAGE_JSON, builtIn: true }] });
}
