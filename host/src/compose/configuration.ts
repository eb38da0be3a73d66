import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverPlugins, type PluginCatalogue } from '@svc/kernel/plugins';
import { Value } from 'typebox/value';
import {
  type Diagnostic,
  formatDiagnostic,
  type LoadOptions,
  type LoadResult,
  loadConfig,
  loadStoreConfig,
  PluginRegistry,
  type ResolvedConfig,
  type StoreConfig,
} from '../config/index.ts';
import { CliError } from '../errors/cli-error.ts';
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

/** As {@link readConfiguration}, without secrets. @throws {CliError} with the first error */
export async function usableConfiguration(file: string, container: Container, bytes?: Uint8Array): Promise<ResolvedConfig> {
  const given = bytes === undefined ? {} : { bytes };
  return withoutErrors(file, await readConfiguration(file, false, container, given));
}

/** As {@link readStoreConfiguration}. @throws {CliError} with the first error */
export async function usableStoreConfiguration(file: string, container: Container): Promise<StoreConfig> {
  return withoutErrors(file, await readStoreConfiguration(file, container));
}

function withoutErrors<T>(
  file: string,
  { config, diagnostics }: { readonly config: T | null; readonly diagnostics: readonly Diagnostic[] },
): T {
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (config === null) throw new CliError(error === undefined ? `${file} has errors` : formatDiagnostic(error));
  return config;
}

/** Reads the part of a configuration for the store, with only the secrets in that part. */
async function readStoreConfiguration(file: string, container: Container): ReturnType<typeof loadStoreConfig> {
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
