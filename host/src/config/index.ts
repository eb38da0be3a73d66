export type { DepsFactories } from './create-plugin.ts';
export { type Diagnostic, formatDiagnostic, type ToldDiagnostic } from './diagnostic.ts';
export { endpointsOf } from './endpoints-of.ts';
export { closeInstances, type LoadOptions, type LoadResult, loadConfig } from './load.ts';
export { loadStoreConfig } from './load-store.ts';
export { PluginRegistry } from './registry.ts';
export type { PackNode, PluginListing, ProviderNode, ResolvedConfig } from './resolved.ts';
export type { Route } from './schema.ts';
export { redactForDigest } from './write-only.ts';
