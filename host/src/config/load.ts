import { isObject, type JsonObject, type PluginKind } from '@svc/contracts';
import type { PluginEntry } from '@svc/kernel/plugins';
import { Closing } from '@svc/runtime';
import { Value } from 'typebox/value';
import { AuthKeySchema } from './auth-key-schema.ts';
import { readKeys } from './auth-keys.ts';
import { BackendPool } from './backend-pool.ts';
import { schemaProblems } from './check-schema.ts';
import type { DepsFactories, PluginFactoryContext } from './create-plugin.ts';
import { withDefaults } from './defaults.ts';
import type { Diagnostic } from './diagnostic.ts';
import { durationMs, optionalMs } from './duration.ts';
import { findCatalogue } from './find-catalogue.ts';
import { readLedger } from './ledger-section.ts';
import { LimitSchema } from './limit-schema.ts';
import { lintRoutes } from './lint.ts';
import { lintDropped } from './lint-dropped.ts';
import { lintExporters } from './lint-exporters.ts';
import { lintLastAdmin } from './lint-last-admin.ts';
import { embedderOutside, lintRag } from './lint-rag.ts';
import { lintRestart } from './lint-restart.ts';
import { lintSecretPlaces } from './lint-secret-places.ts';
import { lintServer } from './lint-server.ts';
import { makeExporters, makePacks, makeProviders } from './make-instances.ts';
import { lintProtocols, makeProtocols } from './make-protocols.ts';
import { makeRag } from './make-rag.ts';
import { dropNotServed } from './not-served.ts';
import { readIssuers, readSession } from './oidc-issuers.ts';
import { OidcIssuerSchema, SessionSchema } from './oidc-schema.ts';
import { listPlugins } from './plugin-listing.ts';
import { readLimits } from './read-limits.ts';
import { readPrices } from './read-prices.ts';
import { readSource, type Source } from './read-source.ts';
import { readTls } from './read-tls.ts';
import type { PluginRegistry } from './registry.ts';
import type { Report } from './report.ts';
import { Secrets } from './resolve-secrets.ts';
import type { PluginListing, ResolvedConfig } from './resolved.ts';
import { ConfigSchema, ExporterSchema, PackSchema, ProtocolSchema, ProviderSchema, RouteSchema } from './schema.ts';
import type { Environment } from './secret-backends.ts';
import { sectionOf } from './sections.ts';
import { readStore } from './store-section.ts';
import { readTraces } from './traces.ts';

export interface LoadOptions {
  /** The host's own package.json: plugins among its dependencies are built in. */
  readonly hostPackageJson: string;
  readonly registry: PluginRegistry;
  readonly depsFor: DepsFactories;
  /** For `secret://env/…`. */
  readonly env: Environment;
  /** False for lint without secrets: references are then left unresolved, and match any schema. */
  readonly resolveSecrets: boolean;
  /** Content of the file if it was read before, used instead of its present content. */
  readonly bytes?: Uint8Array;
  /** The configuration in force, whose place this one is to take: what may be kept of it is kept. */
  readonly former?: ResolvedConfig;
}

export interface LoadResult {
  /**
   * Null if there is an error, and, without secrets, if a plugin cannot be created without them. Nothing in it is started. The caller
   * closes its instances with {@link closeInstances}, but for those of `former`.
   */
  readonly config: ResolvedConfig | null;
  /** Errors and warnings, in the order of the file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly plugins: readonly PluginListing[];
}

const INSTANCE_CLOSE_MS = 2_500;
const NO_KEYS = 'no keys: all calls are rejected unless the server runs with --no-auth';

type Instances = Pick<ResolvedConfig, 'providers' | 'packs' | 'rag'>;

/**
 * Closes guards, providers and the parts of retrieval, whatever any of them throws. One that hangs is left behind after a while.
 * @param kept those of this configuration stay open
 */
export async function closeInstances(
  { providers, packs, rag }: Instances,
  closing = new Closing(INSTANCE_CLOSE_MS),
  kept?: Instances,
): Promise<void> {
  const stay = kept === undefined ? [] : instancesOf(kept);
  const close = async (name: string, instance: { close?(): Promise<void> }): Promise<void> => {
    if (stay.includes(instance)) return;
    await closing.end(name, INSTANCE_CLOSE_MS, () => Promise.allSettled([(async () => instance.close?.())()]));
  };
  await Promise.all([
    ...[...packs.values()].map(({ name, guard }) => close(`guard ${name}`, guard)),
    ...[...providers.values()].map(({ name, instance }) => close(`provider ${name}`, instance)),
    ...(rag === null ? [] : [close('vectors', rag.vectors), close('embedder', rag.embedder)]),
  ]);
}

function instancesOf({ providers, packs, rag }: Instances): object[] {
  const parts = rag === null ? [] : [rag.vectors, rag.embedder];
  return [...[...packs.values()].map(({ guard }) => guard), ...[...providers.values()].map(({ instance }) => instance), ...parts];
}

/** The file's content with defaults. Schema errors are reported, and left in. */
export function checkShape(value: JsonObject, report: Report): JsonObject {
  const filled = withDefaults(ConfigSchema, dropNotServed(value, report));
  for (const problem of schemaProblems(ConfigSchema, filled)) report.error('SVC-POL-001', problem.path, problem.message, problem);
  lintSecretPlaces(filled, report);
  return isObject(filled) ? filled : {};
}

/** Of plugins that a running server does not replace. */
const KEPT_KINDS: readonly PluginKind[] = ['exporter', 'vectors', 'embedder', 'protocol'];

/** They are used as they were loaded. */
function keptPlugins(former: ResolvedConfig | undefined): PluginEntry[] {
  return [...(former?.used ?? [])].filter(({ kind }) => KEPT_KINDS.includes(kind));
}

/** Reads, checks and lints a configuration file, and creates its providers and guards. Reports every fault, not just the first. */
export async function loadConfig(file: string, options: LoadOptions): Promise<LoadResult> {
  const source = await readSource(file, options.bytes);
  const { report, value, directory } = source;
  const filled = value === null ? null : checkShape(value, report);
  const catalogue = filled === null ? null : findCatalogue(directory, options.hostPackageJson, filled.plugins, report);
  if (filled === null || catalogue === null) return { config: null, diagnostics: report.diagnostics, plugins: [] };
  const used = new Set(keptPlugins(options.former));
  const config = await assemble(source, filled, { ...options, catalogue, report, directory, used });
  return { config, diagnostics: report.diagnostics, plugins: listPlugins(catalogue, used) };
}

async function assemble(
  source: Source,
  filled: JsonObject,
  factoryContext: PluginFactoryContext & Pick<LoadOptions, 'env' | 'former'>,
): Promise<ResolvedConfig | null> {
  const { report, directory, catalogue, registry, resolveSecrets, env, former } = factoryContext;
  const backends = new BackendPool(factoryContext, env);
  const secrets = new Secrets({ report, directory, backendOf: (name, path) => backends.backendOf(name, path) });
  const sections = {
    providers: sectionOf(ProviderSchema, filled.providers),
    packs: sectionOf(PackSchema, filled.packs),
    routes: sectionOf(RouteSchema, filled.routes),
  };
  const auth = isObject(filled.auth) ? filled.auth : {};
  const written = sectionOf(AuthKeySchema, auth.keys ?? []);
  const oidc = sectionOf(OidcIssuerSchema, auth.oidc ?? []);

  const providers = await makeProviders(sections.providers, { ...factoryContext, secrets }, former?.providers);
  const packs = await makePacks(sections.packs, { ...factoryContext, secrets }, former?.packs);
  const ofAuth = { report, secrets, resolveSecrets, routes: sections.routes.names };
  const keys = await readKeys(written, ofAuth);
  const issuers = await readIssuers(oidc, { ...ofAuth, directory });
  const session = Value.Check(SessionSchema, auth.session) ? readSession(auth.session, report) : null;
  if (written.names.length + oidc.names.length === 0) report.warning('SVC-POL-009', ['auth', 'keys'], NO_KEYS);
  const traces = await readTraces(filled.telemetry, { report, secrets, resolveSecrets, directory });
  lintLastAdmin({ keys, issuers }, former, report);
  const restarts = former === undefined ? [] : lintRestart(filled, former.sections, report);
  const kept = (section: string) => (restarts.includes(section) ? undefined : former);
  const making = { ...factoryContext, secrets };
  const exporters = kept('exporters')?.exporters ?? (await makeExporters(sectionOf(ExporterSchema, filled.exporters), making));
  const protocols = kept('protocols')?.protocols ?? (await makeProtocols(sectionOf(ProtocolSchema, filled.protocols), making));
  lintProtocols(providers, protocols, report);
  const rag = kept('rag')?.rag ?? (await makeRag(filled.rag, making));
  const ledger = await readLedger(filled.ledger, { report, secrets, resolveSecrets, directory });
  const store = await readStore(filled.store, { report, secrets, resolveSecrets, directory });
  const tls = await readTls(filled.server, { report, secrets, resolveSecrets, directory });
  await backends.close();
  const embedder = embedderOutside(filled.rag, rag?.embedder ?? null);
  const prices = await readPrices(filled.prices, sections.providers.names, providers, report);
  const context = { ...sections, report, nodes: packs, embedder, prices, keys: [...written.repaired.values()], issuers };
  lintRoutes(context);
  lintRag(filled.rag, context);
  lintServer(filled.server, report);
  const limits = readLimits(sectionOf(LimitSchema, filled.limits), sections.routes.names, report);
  lintDropped({ report, nodes: packs });
  lintExporters(filled.exporters, catalogue, registry, report);

  const isWhole = packs.size === sections.packs.names.length && providers.size === sections.providers.names.length;
  const isRagWhole = filled.rag === undefined || rag !== null;
  const isRead = ledger !== null && store !== null && session !== null;
  if (!report.failed && isWhole && isRagWhole && isRead && Value.Check(ConfigSchema, filled)) {
    const { path, digest, bytes } = source;
    return {
      path,
      directory,
      digest,
      bytes,
      sections: filled,
      server: filled.server,
      tls,
      keys,
      issuers,
      session,
      limits,
      providers,
      packs,
      prices,
      routes: sections.routes.valid,
      traces,
      rag,
      operations: filled.operations,
      ledger,
      store,
      exporters,
      protocols,
      drain_delay_ms: optionalMs(filled.server.drain_delay),
      drain_timeout_ms: optionalMs(filled.server.drain_timeout),
      expire_after_ms: durationMs(filled.approvals.expire_after),
      max_paused: { in_all: filled.approvals.max_paused, per_principal: filled.approvals.max_paused_per_principal },
      reuse_for_ms: durationMs(filled.approvals.reuse_for),
      result_ttl_ms: durationMs(filled.runs.result_ttl),
      record_start: filled.runs.record_start,
      retention_ms: optionalMs(filled.retention.content),
      catalogue,
      used: factoryContext.used,
    };
  }
  await closeInstances({ providers, packs, rag }, undefined, former);
  return null;
}
