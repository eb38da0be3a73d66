import { isObject, type JsonObject, type Logger, type PluginKind } from '@svc/contracts';
import type { PluginCatalogue, PluginEntry } from '@svc/kernel/plugins';
import { Value } from 'typebox/value';
import { AuthKeySchema } from './auth-keys.ts';
import { BackendPool } from './backend-pool.ts';
import { schemaProblems } from './check-schema.ts';
import { closeInstances } from './close-instances.ts';
import type { DepsFactories } from './create-plugin.ts';
import { withDefaults } from './defaults.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findCatalogue } from './find-catalogue.ts';
import { lintRoutes } from './lint.ts';
import { embedderOutside, lintRag } from './lint-rag.ts';
import { isReadAtStart, lintRestart } from './lint-restart.ts';
import { lintSecretPlaces } from './lint-secret-places.ts';
import { dropNotServed } from './not-served.ts';
import { PackSchema } from './packs-section.ts';
import { listPlugins } from './plugin-listing.ts';
import { ProviderSchema } from './providers-section.ts';
import { readSource, type Source } from './read-source.ts';
import type { Entries, ReadContext } from './reader.ts';
import type { PluginRegistry } from './registry.ts';
import type { Report } from './report.ts';
import { Secrets } from './resolve-secrets.ts';
import type { PluginListing, ResolvedConfig } from './resolved.ts';
import { RouteSchema } from './routes-section.ts';
import { ConfigSchema, SECTIONS } from './schema.ts';
import type { Environment } from './secret-backends.ts';
import { sectionOf } from './sections.ts';

export interface LoadOptions {
  /** The host's own package.json. Plugins among its dependencies are built in. */
  readonly hostPackageJson: string;
  readonly registry: PluginRegistry;
  readonly depsFor: DepsFactories;
  readonly logger: Logger;
  /** For `secret://env/…`. */
  readonly env: Environment;
  /** False for lint without secrets: references then stay unresolved, and match any schema. */
  readonly resolveSecrets: boolean;
  /** Content of the file if it was read before. It is used instead of the present content. */
  readonly bytes?: Uint8Array;
  /** The active configuration, which the new one is to replace. Unchanged instances are kept. */
  readonly former?: ResolvedConfig;
}

export interface LoadResult {
  /**
   * Null if there is an error or if, without secrets, a plugin cannot be created. Nothing in the configuration is started. The caller closes its
   * instances with {@link closeInstances}, except those of `former`.
   */
  readonly config: ResolvedConfig | null;
  /** Errors and warnings, in the order of the file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly plugins: readonly PluginListing[];
}

/** The file's content, with defaults. Schema errors are reported and left in it. */
export function checkShape(value: JsonObject, report: Report): JsonObject {
  const filled = withDefaults(ConfigSchema, dropNotServed(value, report));
  for (const problem of schemaProblems(ConfigSchema, filled)) report.error('SVC-POL-001', problem.path, problem.message, problem);
  lintSecretPlaces(filled, report);
  return isObject(filled) ? filled : {};
}

/** Kinds of plugins that a running server does not replace. */
const KEPT_KINDS: readonly PluginKind[] = ['exporter', 'vectors', 'embedder', 'protocol'];

/** Plugins that stay as they were loaded. */
function keptPlugins(former: ResolvedConfig | undefined): PluginEntry[] {
  return [...(former?.used ?? [])].filter(({ kind }) => KEPT_KINDS.includes(kind));
}

/** Reads, checks and lints a configuration file, and creates its providers and guards. Reports every error, not only the first. */
export async function loadConfig(file: string, options: LoadOptions): Promise<LoadResult> {
  const source = await readSource(file, options.bytes);
  const { report, value, directory } = source;
  const filled = value === null ? null : checkShape(value, report);
  const catalogue = filled === null ? null : findCatalogue(directory, options.hostPackageJson, filled.plugins, report);
  if (filled === null || catalogue === null) return { config: null, diagnostics: report.diagnostics, plugins: [] };
  const used = new Set(keptPlugins(options.former));
  const config = await assemble(source, filled, { ...options, catalogue, used });
  return { config, diagnostics: report.diagnostics, plugins: listPlugins(catalogue, used) };
}

async function assemble(
  source: Source,
  filled: JsonObject,
  options: LoadOptions & { readonly catalogue: PluginCatalogue; readonly used: Set<PluginEntry> },
): Promise<ResolvedConfig | null> {
  const { path, directory, digest, bytes, report } = source;
  const { former, catalogue, used, env } = options;
  const backends = new BackendPool({ ...options, report, directory }, env, filled.secrets);
  const secrets = new Secrets({ report, directory, backendOf: (name, at) => backends.backendOf(name, at) });
  const entries: Entries = {
    keys: sectionOf(AuthKeySchema, isObject(filled.auth) ? filled.auth.keys : []),
    providers: sectionOf(ProviderSchema, filled.providers),
    packs: sectionOf(PackSchema, filled.packs),
    routes: sectionOf(RouteSchema, filled.routes),
  };
  const restarts = former === undefined ? [] : lintRestart(filled, former.sections, report);
  const parts: Partial<ResolvedConfig> = {};
  const context: ReadContext = { ...options, report, directory, secrets, entries, former, parts, incomplete: new Set() };
  for (const name of backends.configured) await backends.backendOf(name, ['secrets', name]);
  let isValid = true;
  for (const [name, { read }] of Object.entries(SECTIONS)) {
    const part = await read?.(filled[name], { ...context, former: restarts.includes(name) ? undefined : former });
    if (part === null) isValid = false;
    Object.assign(parts, part);
  }
  lintAcross(filled, context);
  if (!report.failed && isValid && context.incomplete.size === 0 && Value.Check(ConfigSchema, filled)) {
    if (former !== undefined) await secrets.keep(former.leased, (reference) => isReadAtStart(filled, reference));
    const { leased } = secrets;
    const { fingerprints: backend_fingerprints } = backends;
    // The others are not asked again.
    if (leased.size === 0) await backends.close();
    const live = { leased, backends: leased.size === 0 ? [] : await backends.opened(), backend_fingerprints };
    // Every reader has returned its part.
    return { ...(parts as ResolvedConfig), ...live, path, directory, digest, bytes, sections: filled, catalogue, used };
  }
  await backends.close();
  const { providers = new Map(), packs = new Map(), rag = null } = parts;
  await closeInstances({ providers, packs, rag, backends: [] }, options.logger, undefined, former);
  return null;
}

/** Checks sections against each other. */
function lintAcross({ rag }: JsonObject, { report, entries, parts }: ReadContext): void {
  const { packs: nodes = new Map(), prices = null, issuers = [], groups = {}, expire_after_ms = null, passkeys = null } = parts;
  const embedder = embedderOutside(rag, parts.rag?.embedder ?? null);
  const keys = [...entries.keys.repaired.values()];
  const context = { ...entries, report, nodes, embedder, prices, keys, issuers, groups, expire_after_ms, passkeys };
  lintRoutes(context);
  lintRag(rag, context);
}
