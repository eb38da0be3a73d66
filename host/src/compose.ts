import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BuiltRoute,
  BytesInFlight,
  boundedCounters,
  buildIndexPipeline,
  buildRoutes,
  Closing,
  closeInstances,
  type DepsFactories,
  discoverPlugins,
  findPlugin,
  flows,
  Gateway,
  GuardFile,
  GuardPool,
  type LedgerOptions,
  type LoadResult,
  loadConfig,
  loadPlugin,
  loadStoreConfig,
  type Observer,
  type PluginCatalogue,
  PluginRegistry,
  Rag,
  type RagFolders,
  type RagNode,
  type ResolvedConfig,
  type RuntimeRoute,
} from '@svc/kernel';
import type { Clock, Counters, Logger, PluginDeps, Retriever, Store } from '@svc/kernel/contracts';
import type { Logger as Pino } from 'pino';
import { Value } from 'typebox/value';
import { contentKeys } from './content-key.ts';
import type { Authentication } from './http/auth.ts';
import { Connections } from './http/connections.ts';
import { KeyRing } from './http/key-ring.ts';
import type { Route } from './http/schemas.ts';
import { buildServer } from './http/server.ts';
import type { ServedRoute, Server } from './http/surface.ts';
import { ledgerFiles } from './key-files.ts';
import { ledgerKey, readLedgerKey } from './ledger-key.ts';
import type { Metrics } from './metrics.ts';
import { observers } from './observers.ts';
import { loadPages } from './pages.ts';
import type { RunsDb } from './runs-db.ts';
import { SteadyClock } from './steady-clock.ts';
import type { Tracing } from './tracing/tracing.ts';

const HOST_PACKAGE_JSON = fileURLToPath(new URL('../package.json', import.meta.url));
/** Put beside the bundles by the build. */
const REGISTRY = new URL('../dist/plugin-registry.json', import.meta.url);

/**
 * Reads and checks a configuration with the plugins of this host and of the operator.
 * @param bytes what the file said when it was read before, to be used instead of what it says now
 */
export async function readConfiguration(
  file: string,
  resolveSecrets: boolean,
  parts: Parts,
  bytes?: Uint8Array,
): Promise<LoadResult> {
  const options = { ...(await loadOptions(parts)), resolveSecrets };
  return loadConfig(resolve(file), bytes === undefined ? options : { ...options, bytes });
}

/** Of a configuration what is about the store, with those secrets alone. */
export async function readStoreConfiguration(file: string, parts: Parts): ReturnType<typeof loadStoreConfig> {
  return loadStoreConfig(resolve(file), await loadOptions(parts));
}

async function loadOptions({ depsFor }: Parts): Promise<Parameters<typeof loadStoreConfig>[1]> {
  const registry = Value.Parse(PluginRegistry, JSON.parse(await readFile(REGISTRY, 'utf8')));
  return { hostPackageJson: HOST_PACKAGE_JSON, registry, depsFor, env: process.env };
}

/** What plugins are given; counters and documents are those of the gateway once it is there. */
export interface Parts {
  readonly depsFor: DepsFactories;
  /** The guards' threads. */
  readonly workers: GuardPool;
  readonly clock: Clock;
  useCounters(counters: Counters): void;
  useRetriever(retriever: Retriever): void;
}

export function makeParts(logger: Logger & { child?: Pino['child'] }): Parts {
  const workers = new GuardPool();
  const clock = new SteadyClock(logger);
  let counters: Counters | undefined;
  let retriever: Retriever | undefined;
  const bound = (): Counters => {
    if (counters === undefined) throw new Error('counters are for use in runs only');
    return counters;
  };
  const deps = (name: string, directory: string): PluginDeps => ({
    name,
    directory,
    logger: logger.child?.({ plugin: name }) ?? logger,
    clock,
    fetch: globalThis.fetch,
  });
  const lazy: Counters = { reserve: (...args) => bound().reserve(...args), read: (keys) => bound().read(keys) };
  const lazyRetriever: Retriever = {
    retrieve: async (...args) => {
      if (retriever === undefined) throw new Error('there is no retrieval: the configuration has no section rag');
      return retriever.retrieve(...args);
    },
  };
  return {
    workers,
    clock,
    depsFor: {
      provider: deps,
      exporter: deps,
      vectors: deps,
      embedder: deps,
      secrets: deps,
      guard: (name, directory) => ({ ...deps(name, directory), counters: lazy, retriever: lazyRetriever }),
    },
    useCounters: (found) => {
      counters = found;
    },
    useRetriever: (found) => {
      retriever = found;
    },
  };
}

/** The plugins that come with the host, for commands that need no configuration. */
export function ownPlugins(): PluginCatalogue {
  return discoverPlugins({ roots: [{ file: HOST_PACKAGE_JSON, builtIn: true }] });
}

/** The store that a `--runs-db` names, not opened yet. */
export async function makeStore({ type, options, directory }: RunsDb, catalogue: PluginCatalogue, parts: Parts): Promise<Store> {
  const entry = findPlugin(catalogue, 'store', type);
  if (entry === null) throw new Error(`the store @svc/store-${type} is not installed`);
  const definition = await loadPlugin(entry);
  const filled: unknown = Value.Default(definition.options, { ...options });
  Value.Assert(definition.options, filled);
  return definition.create(filled, parts.depsFor.provider('store', directory));
}

export interface AssembledServer {
  readonly server: Server;
  /** From now on it is not ready; it serves all the same. */
  drain(): void;
  /** Ends runs, connections and the store, in that order; what hangs is left. */
  close(closing: Closing): Promise<void>;
}

export interface AssembleOptions {
  readonly runs_db: RunsDb;
  /** False where another process of this server has done it. */
  readonly seals_inventory: boolean;
  readonly metrics: Metrics;
  /** `--accept-clock`, see {@link Gateway.open}. */
  readonly accepts_clock?: boolean;
  /** `--no-auth`: by which names the gateway may be called. Null: keys are asked for. */
  readonly allowed_hosts: readonly string[] | null;
  /** `--demo`: each visitor has a quota. */
  readonly demo?: boolean;
  /** For `svc openapi` only. */
  readonly describes?: true;
}

/** Answers that are being sent have five seconds. */
const CONNECTIONS_CLOSE_MS = 5_500;
/** It has no connection any more. */
const SERVER_CLOSE_MS = 500;
const TRACES_CLOSE_MS = 3_000;
const WORKERS_CLOSE_MS = 2_000;
/** After a start that failed. */
const REFUSED_CLOSE_MS = 10_000;

/** Builds everything from a configuration, short of listening. On a failure everything that was opened is closed again. */
export async function assemble(
  config: ResolvedConfig,
  options: AssembleOptions,
  parts: Parts,
  logger: Pino,
): Promise<AssembledServer> {
  let tracing: Tracing | null = null;
  let gateway: Gateway | null = null;
  let draining = false;
  const release = async (closing: Closing): Promise<void> => {
    await Promise.all([gateway?.close(closing), closing.end('traces', TRACES_CLOSE_MS, () => tracing?.close())]);
    await Promise.all([
      closeInstances(config, closing),
      closing.end('worker threads', WORKERS_CLOSE_MS, () => parts.workers.close()),
    ]);
  };
  try {
    const { metrics } = options;
    if (config.server.guard_threads !== undefined) parts.workers.size = config.server.guard_threads;
    const routes = buildRoutes(config);
    tracing = await startTracing(config, logger);
    const observer = observers(tracing === null ? [metrics] : [metrics, tracing]);
    const { body_limit_bytes, max_bytes_in_flight, trust_proxy } = config.server;
    const bytes = new BytesInFlight(max_bytes_in_flight);
    metrics.watch(bytes);
    const opened = await openGateway(config, routes, options, parts, bytes, observer, logger);
    gateway = opened;
    const ring = new KeyRing(config.keys);
    const surface = {
      gateway: opened,
      routes: servedRoutes(config, routes),
      canApprove: (principal_id: string, route: string) => options.allowed_hosts !== null || ring.canApprove(principal_id, route),
      config_digest: config.digest,
      config_path: config.path,
      started_at: Math.floor(parts.clock.now() / 1000),
      keep_alive_ms: config.server.keep_alive_ms,
      metrics,
      bytes,
      isDraining: () => draining,
      pages: await loadPages(),
    };
    const authentication: Authentication =
      options.allowed_hosts === null ? { kind: 'keys', ring } : { kind: 'none', allowed_hosts: options.allowed_hosts };
    const server = await buildServer(surface, {
      authentication,
      body_limit_bytes,
      trust_proxy,
      demo: options.demo === true ? parts.clock : null,
      logger,
      describes: options.describes ?? false,
    });
    const connections = new Connections(server.server);
    const drain = (): void => {
      draining = true;
    };
    const close = async (closing: Closing): Promise<void> => {
      drain();
      const quiet = connections.stopListening();
      await opened.endRuns(closing);
      await closing.end('connections', CONNECTIONS_CLOSE_MS, () => connections.endWhenSent(quiet));
      await closing.end('server', SERVER_CLOSE_MS, () => server.close());
      await release(closing);
    };
    return { server, drain, close };
  } catch (error) {
    await release(new Closing(REFUSED_CLOSE_MS));
    throw error;
  }
}

/** Its libraries cost memory and time to load: only who wants traces pays for them. */
async function startTracing({ traces, providers }: ResolvedConfig, logger: Pino): Promise<Tracing | null> {
  if (traces === null) return null;
  const { Tracing } = await import('./tracing/tracing.ts');
  return new Tracing(traces, (name) => providers.get(name)?.type ?? name, logger);
}

async function openGateway(
  config: ResolvedConfig,
  routes: readonly BuiltRoute[],
  { runs_db, seals_inventory, accepts_clock = false }: AssembleOptions,
  parts: Parts,
  bytes: BytesInFlight,
  observer: Observer,
  logger: Pino,
): Promise<Gateway> {
  const store = await makeStore(runs_db, config.catalogue, parts);
  parts.useCounters(boundedCounters(store.counters));
  const service = config.rag === null ? null : ragOf(config, config.rag, parts, observer, logger);
  return Gateway.open({
    store,
    routes,
    config_digest: config.digest,
    clock: parts.clock,
    workers: parts.workers,
    logger,
    bytes,
    observer,
    seals_inventory,
    accepts_clock,
    record_content: config.server.record_content,
    ledger: ledgerOptions(config, runs_db),
    exporters: [...config.exporters.values()].map(({ name, instance, from }) => ({ name, exporter: instance, from })),
    rag: service === null ? null : { service, folders: ragFolders(runs_db) },
    record_start: config.record_start,
    result_ttl_ms: config.result_ttl_ms,
    expire_after_ms: config.expire_after_ms,
    max_paused: config.max_paused,
    retention_ms: config.retention_ms,
    content_keys: await contentKeys(config.store, runs_db),
  });
}

function ragOf(config: ResolvedConfig, { embedder, vectors }: RagNode, parts: Parts, observer: Observer, logger: Pino): Rag {
  const { clock, workers } = parts;
  const rag = new Rag({ embedder, vectors, index_pipeline: buildIndexPipeline(config), clock, workers, logger, observer });
  parts.useRetriever(rag);
  return rag;
}

function ragFolders({ rag_folder }: RunsDb): RagFolders | null {
  return rag_folder === null ? null : { vectors: join(rag_folder, 'vectors'), embedder: join(rag_folder, 'embedder') };
}

function ledgerOptions(config: ResolvedConfig, runs_db: RunsDb): LedgerOptions {
  const { ledger } = config;
  const { key: file, checkpoint } = ledgerFiles(config, runs_db);
  const guard_file = guardFile(ledger.guard_file, checkpoint, runs_db);
  if (ledger.signing_keys.length > 0) return { ...ledger, guard_file };
  const signing_keys = { file, read: () => readLedgerKey(file), make: () => ledgerKey(file) };
  return { ...ledger, signing_keys, guard_file };
}

function guardFile(named: string | null | false, unnamed: string, { is_temporary }: RunsDb): GuardFile | null {
  if (typeof named === 'string') return new GuardFile(named);
  // What is gone at the stop cannot be set back.
  return named === false || is_temporary ? null : new GuardFile(unnamed, 'records');
}

function servedRoutes(config: ResolvedConfig, built: readonly BuiltRoute[]): Map<string, ServedRoute> {
  return new Map(built.map(({ runtime }) => [runtime.name, { runtime, attributes: attributesOf(config, runtime) }]));
}

function attributesOf(config: ResolvedConfig, runtime: RuntimeRoute): Route {
  const { name } = runtime;
  const route = config.routes.get(name);
  const provider = config.providers.get(route?.provider ?? '');
  if (route === undefined || provider === undefined) throw new Error(`route ${name} is not configured`);
  const nodes = (stage: readonly string[]): Route['pipeline']['ingress'] =>
    stage.flatMap((pack) => {
      const node = config.packs.get(pack);
      if (node === undefined) return [];
      const { type, version, mode, guard } = node;
      const verdicts = guard.verdicts.filter((verdict) => verdict !== 'allow');
      return [{ name: node.name, type, package: node.package, version, mode, verdicts }];
    });
  return {
    name,
    owner: route.owner ?? null,
    risk_rating: route.risk_rating ?? null,
    review_interval_days: route.review_interval_days ?? null,
    residency: route.residency ?? [],
    approvers: route.approvers,
    provider: { name: provider.name, type: provider.type, region: provider.region, model: route.model },
    fallbacks: route.fallbacks.map((fallback) => ({ name: fallback.provider, model: fallback.model })),
    pipeline: { ingress: nodes(route.pipeline.ingress), egress: nodes(route.pipeline.egress) },
    streams: flows(runtime) ? 'as-it-comes' : 'when-judged',
  };
}
