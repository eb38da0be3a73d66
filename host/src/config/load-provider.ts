import { isObject } from '@svc/contracts';
import type { PluginEntry } from '@svc/kernel/plugins';
import { type Protocols, protocolsWith } from '@svc/protocols';
import { BackendPool } from './backend-pool.ts';
import { closeProvider } from './close-instances.ts';
import { createPlugin } from './create-plugin.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findCatalogue } from './find-catalogue.ts';
import { checkShape, type LoadOptions } from './load.ts';
import { ProtocolSchema } from './protocols-section.ts';
import { type ProviderNode, ProviderSchema, providerNode } from './providers-section.ts';
import { readSource } from './read-source.ts';
import { Secrets } from './resolve-secrets.ts';
import { RouteSchema } from './routes-section.ts';
import { sectionOf } from './sections.ts';

/** The part of a configuration for calls to one provider. */
export interface ProviderConfig {
  readonly provider: ProviderNode;
  readonly protocols: Protocols;
  /** The models for which routes name the provider, in the order of the file. */
  readonly models: readonly string[];
}

interface LoadedProvider {
  /** Null: the configuration is invalid, or has no such provider. */
  readonly config: ProviderConfig | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The names of all providers. */
  readonly names: readonly string[];
}

/** Reads one provider with its own secrets only, and creates it and the protocol plugins. The caller closes the provider. */
export async function loadProviderConfig(
  file: string,
  name: string,
  options: Omit<LoadOptions, 'resolveSecrets' | 'bytes'>,
): Promise<LoadedProvider> {
  const { report, value, directory } = await readSource(file);
  const filled = value === null ? null : checkShape(value, report);
  const catalogue = filled === null ? null : findCatalogue(directory, options.hostPackageJson, filled.plugins, report);
  const providers = sectionOf(ProviderSchema, filled?.providers);
  const refused = { config: null, diagnostics: report.diagnostics, names: providers.names };
  const section = providers.valid.get(name);
  if (filled === null || catalogue === null || report.failed || section === undefined || !isObject(section)) return refused;
  const factoryContext = { ...options, catalogue, report, directory, resolveSecrets: true, used: new Set<PluginEntry>() };
  const backends = new BackendPool(factoryContext, options.env, filled.secrets);
  const secrets = new Secrets({ report, directory, backendOf: (backend, path) => backends.backendOf(backend, path) });
  const context = { ...factoryContext, secrets };
  const created = await createPlugin('provider', name, section, ['providers', name], context);
  const protocols = [];
  for (const [position, protocol] of sectionOf(ProtocolSchema, filled.protocols).valid)
    protocols.push(await createPlugin('protocol', protocol.type, protocol, ['protocols', Number(position)], context));
  await backends.close();
  if (created === null) return { ...refused, diagnostics: report.diagnostics };
  const provider = providerNode(name, section, created);
  if (report.failed) {
    await closeProvider(provider, options.logger);
    return { ...refused, diagnostics: report.diagnostics };
  }
  const known = protocolsWith(protocols.flatMap((made) => (made === null ? [] : [made.instance.protocol])));
  const config = { provider, protocols: known, models: modelsOf(name, filled.routes) };
  return { ...refused, config };
}

function modelsOf(name: string, routes: unknown): string[] {
  const endpoints = [...sectionOf(RouteSchema, routes).valid.values()].flatMap(
    ({ provider, model, endpoints = [], fallbacks }) => [{ provider, model }, ...endpoints, ...fallbacks],
  );
  return [...new Set(endpoints.flatMap(({ provider, model }) => (provider === name && model !== undefined ? [model] : [])))];
}
