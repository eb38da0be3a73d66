import type { PluginCatalogue, PluginEntry } from '@svc/kernel/plugins';
import { BackendPool } from './backend-pool.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findCatalogue } from './find-catalogue.ts';
import { checkShape, type LoadOptions } from './load.ts';
import { readSource } from './read-source.ts';
import { Secrets } from './resolve-secrets.ts';
import { readStoreSettings, type StoreSettings } from './store-section.ts';

/** The part of a configuration for the store. */
export interface StoreConfig {
  readonly digest: string;
  readonly directory: string;
  readonly catalogue: PluginCatalogue;
  readonly store: StoreSettings;
}

/**
 * Reads the section `store` with its own secrets only, for work on a runs-db without a gateway. Null if the file is invalid; the diagnostics then say
 * why.
 */
export async function loadStoreConfig(
  file: string,
  options: Omit<LoadOptions, 'resolveSecrets' | 'bytes'>,
): Promise<{ config: StoreConfig | null; diagnostics: readonly Diagnostic[] }> {
  const { report, value, directory, digest } = await readSource(file);
  const filled = value === null ? null : checkShape(value, report);
  const catalogue = filled === null ? null : findCatalogue(directory, options.hostPackageJson, filled.plugins, report);
  if (filled === null || catalogue === null) return { config: null, diagnostics: report.diagnostics };
  const resolveSecrets = true;
  const factoryContext = { ...options, catalogue, report, directory, resolveSecrets, used: new Set<PluginEntry>() };
  const backends = new BackendPool(factoryContext, options.env, filled.secrets);
  const secrets = new Secrets({ report, directory, backendOf: (name, path) => backends.backendOf(name, path) });
  const store = await readStoreSettings(filled.store, { report, secrets, resolveSecrets, directory });
  await backends.close();
  const config = store === null || report.failed ? null : { digest, directory, catalogue, store };
  return { config, diagnostics: report.diagnostics };
}
