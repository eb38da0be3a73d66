export type { DepsFactories } from './create-plugin.ts';
export { type Diagnostic, formatDiagnostic, POLICY_CODES, type PolicyCode } from './diagnostic.ts';
export { closeInstances, type LoadOptions, type LoadResult, loadConfig } from './load.ts';
export { PluginRegistry } from './registry.ts';
export type { AuthKey, PackNode, PluginListing, ProviderNode, ResolvedConfig } from './resolved.ts';
export { ConfigSchema, type Role, type Route, type ServerConfig } from './schema.ts';
export { redactForDigest } from './write-only.ts';
