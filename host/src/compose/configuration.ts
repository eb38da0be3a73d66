import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@svc/contracts';
import { discoverPlugins, type PluginCatalogue, PluginLoadError } from '@svc/kernel/plugins';
import { Value } from 'typebox/value';
import { type DescribedPlugin, fileSchema } from '../config/file-schema.ts';
import { findCatalogue } from '../config/find-catalogue.ts';
import {
  type Diagnostic,
  formatDiagnostic,
  type LoadOptions,
  type LoadResult,
  loadConfig,
  loadProviderConfig,
  loadStoreConfig,
  PluginRegistry,
  type ProviderConfig,
  type ResolvedConfig,
  type StoreConfig,
} from '../config/index.ts';
import { loadPlugin } from '../config/load-plugin.ts';
import { readSource } from '../config/read-source.ts';
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

/** Reads one provider of a configuration, with only its own secrets. @throws {CliError} with the first error, or if there is no such provider */
export async function usableProvider(file: string, name: string, container: Container): Promise<ProviderConfig> {
  const { config, diagnostics, names } = await loadProviderConfig(resolve(file), name, await loadOptions(container));
  const isUnknown = config === null && diagnostics.every(({ severity }) => severity !== 'error');
  if (isUnknown) throw new CliError(`${file} has no provider ${name}; it has: ${names.join(', ') || 'none'}`, 2);
  return withoutErrors(file, { config, diagnostics });
}

async function loadOptions(container: Container): Promise<Parameters<typeof loadStoreConfig>[1]> {
  const registry = Value.Parse(PluginRegistry, JSON.parse(await readFile(REGISTRY, 'utf8')));
  const [depsFor, logger] = [container.resolve(PLUGIN_DEPS), container.resolve(LOGGER)];
  return { hostPackageJson: HOST_PACKAGE_JSON, registry, depsFor, logger, env: process.env };
}

/**
 * JSON Schema of a configuration file, with the options of the plugins that it may load. Imports each of them.
 * @param file need not exist; its `plugins` and its folder say which plugins may be loaded
 * @throws {CliError} if the file exists and cannot be read, or if no plugin may be loaded because of it
 */
export async function schemaOfConfiguration(file: string): Promise<{ schema: JsonObject; refused: readonly string[] }> {
  const { report, value, directory } = await readSource(file, existsSync(file) ? undefined : new TextEncoder().encode('{}'));
  const catalogue = value === null ? null : findCatalogue(directory, HOST_PACKAGE_JSON, value.plugins, report);
  const error = report.diagnostics.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new CliError(formatDiagnostic(error));
  if (catalogue === null) throw new CliError(`${file}: plugins has errors; svc lint shows them`);
  const described: DescribedPlugin[] = [];
  const refused = catalogue.refused.map((plugin) => plugin.error.message);
  for (const entry of catalogue.entries) {
    try {
      described.push({ ...entry, options: (await loadPlugin(entry)).options });
    } catch (error) {
      if (!(error instanceof PluginLoadError)) throw error;
      refused.push(error.message);
    }
  }
  return { schema: fileSchema(described), refused };
}

/** The plugins of the host, for commands without a configuration. */
export function ownPlugins(): PluginCatalogue {
  return discoverPlugins({ roots: [{ file: HOST_PACKAGE_JSON, builtIn: true }] });
}
