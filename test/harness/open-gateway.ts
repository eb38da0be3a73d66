import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  Counters,
  Guard,
  GuardDeps,
  GuardResult,
  Provider,
  Store,
  UpstreamTimeouts,
} from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { noopObserver } from '@svc/kernel/observing';
import { discoverPlugins, findPlugin, loadPlugin } from '@svc/kernel/plugins';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { GuardPool } from '@svc/kernel/workers';
import { signingKey } from '@svc/ledger';
import { CHAT } from '@svc/protocols';
import { Gateway, type GatewayOptions, offlineRoute, Replay, type Replayed, TRUSTED_APPROVERS } from '@svc/runtime';
import { EmbeddingCall } from '@svc/runtime/answers';
import { type ContentKeys, KeyTree } from '@svc/runtime/content';
import { type FakeClock, fakeClock, fakeCounters, fakeLogger, fakePluginDeps } from '@svc/sdk/testing';
import { ROUTE_DEFAULTS } from '../../kernel/kernel/src/runs/route-defaults.ts';

const CONFIG_DIGEST = `sha256:${'0'.repeat(64)}`;

const SIGNING_KEY = signingKey(generateKeyPairSync('ed25519').privateKey);

const CONTENT_KEYS: ContentKeys = { newest: KeyTree.generate(), older: [], forget: null };

/** The package whose plugins are built in. */
export const HOST = join(import.meta.dirname, '..', '..', 'host', 'package.json');

export const ALLOW: GuardResult = { verdict: 'allow', code: 'fine', edits: [], findings: [] };
export const PAUSE: GuardResult = { ...ALLOW, verdict: 'require_approval', code: 'waits' };

export type Node = RuntimeRoute['ingress'][number];

/** Creates a built-in guard from options as in a configuration. */
export async function guardOf(type: string, options: object, deps: Partial<GuardDeps> = {}): Promise<Guard> {
  const entry = findPlugin(discoverPlugins({ roots: [{ file: HOST, builtIn: true }] }), 'guard', type);
  if (entry === null) throw new Error(`no guard ${type}`);
  const { create } = await loadPlugin(entry);
  return create(options, { ...fakePluginDeps(), counters: fakeCounters(), ...deps });
}

/** A node with a guard of the test. */
export function nodeOf(name: string, guard: Partial<Guard>): Node {
  const verdicts = ['allow', 'sanitize', 'require_approval', 'block'] as const;
  return {
    name,
    guard: { stages: ['ingress', 'egress'], verdicts, check: () => ALLOW, ...guard },
    namespaces: [],
    package: '@test/guard',
    version: '1.0.0',
    timeout_ms: 5000,
    on_error: 'block',
    mode: 'enforce',
    required: false,
    scope: 'all',
  };
}

export function completionOf(content: string): ChatCompletion {
  return {
    id: 'answer',
    object: 'chat.completion',
    created: 1,
    model: 'm-1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export interface RouteParts {
  readonly ingress?: readonly Node[];
  readonly egress?: readonly Node[];
  readonly complete?: Provider['complete'];
  readonly stream?: Provider['stream'];
  readonly timeout_ms?: number;
  readonly name?: string;
  readonly expire_after_ms?: number;
}

function routeOf({
  name = 'default',
  ingress = [],
  egress = [],
  complete,
  stream,
  timeout_ms = 60_000,
}: RouteParts): RuntimeRoute {
  const instance: Provider = {
    complete: complete ?? (async () => ({ completion: completionOf('answer'), unsupported: [] })),
    stream: stream ?? (() => Promise.reject(new Error('not used'))),
  };
  return {
    ...ROUTE_DEFAULTS,
    name,
    endpoints: [{ provider: 'local', model: 'm-1', region: 'eu', instance, timeouts: timeoutsOf(timeout_ms), weight: null }],
    ingress,
    egress,
    digest: `digest of ${name}`,
    config_digest: CONFIG_DIGEST,
  };
}

/** Uses the same limit for everything. */
function timeoutsOf(timeout_ms: number): UpstreamTimeouts {
  return { timeout_ms, first_chunk_timeout_ms: timeout_ms, idle_timeout_ms: timeout_ms, stream_timeout_ms: timeout_ms };
}

/** How long content is kept (forever with only `record_content`), and the maximum number of paused runs. */
export interface Kept {
  readonly record_content?: boolean;
  readonly retention_ms?: number;
  readonly max_paused?: GatewayOptions['max_paused'];
  readonly reuse_for_ms?: number;
}

/** A kernel with a real store in this process. The guards are the test's own, and the test moves the clock. */
export class OpenGateway {
  readonly clock: FakeClock = fakeClock(Date.now());
  readonly logger = fakeLogger();
  readonly bytes = new BytesInFlight(Number.POSITIVE_INFINITY);
  readonly #folder: string;
  /** The counters of the open store. */
  readonly counters: Counters = {
    reserve: (...asked) => this.#opened().counters.reserve(...asked),
    read: (keys) => this.#opened().counters.read(keys),
  };
  #gateway: Gateway | undefined;
  #current: Store | undefined;
  #route: RuntimeRoute = routeOf({});
  #kept: Kept = {};
  /** Its threads start only when there is work. */
  readonly #workers = new GuardPool();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(parts: RouteParts, kept: Kept = {}): Promise<OpenGateway> {
    const opened = new OpenGateway(await mkdtemp(join(tmpdir(), 'svc-test-')));
    await opened.open(parts, kept);
    return opened;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error('the gateway is closed');
    return this.#gateway;
  }

  get runs(): Gateway['runs'] {
    return this.gateway.runs;
  }

  /** Opens the folder like a new process. */
  async open(parts: RouteParts, kept = this.#kept): Promise<void> {
    this.#kept = kept;
    const route = routeOf(parts);
    this.#route = route;
    this.#gateway = await Gateway.open({
      store: await this.#store(),
      routes: [{ runtime: route, inventory: inventoryOf(route.name) }],
      config_digest: CONFIG_DIGEST,
      clock: this.clock,
      workers: this.#workers,
      count_tokens: null,
      logger: this.logger,
      bytes: this.bytes,
      observer: noopObserver,
      ledger: {
        origin: null,
        signing_keys: [SIGNING_KEY],
        not_signed: null,
        checkpoint_pin: null,
        witnessing: null,
        timestamping: null,
      },
      approvers: TRUSTED_APPROVERS,
      exporters: [],
      retrieval: null,
      record_content: kept.record_content ?? false,
      record_start: true,
      result_ttl_ms: 60_000,
      expire_after_ms: parts.expire_after_ms ?? 60_000,
      max_paused: kept.max_paused ?? { in_all: 10_000, per_principal: 10_000 },
      reuse_for_ms: kept.reuse_for_ms ?? 0,
      retention_ms: kept.retention_ms ?? null,
      content_keys: CONTENT_KEYS,
      seals_inventory: true,
    });
  }

  async #store(): Promise<Store> {
    const entry = findPlugin(discoverPlugins({ roots: [{ file: HOST, builtIn: true }] }), 'store', 'lmdb');
    if (entry === null) throw new Error('no store lmdb');
    const { create } = await loadPlugin(entry);
    const deps = fakePluginDeps({ clock: this.clock, logger: this.logger });
    this.#current = create({ path: this.#folder, min_free_bytes: 0 }, deps);
    return this.#current;
  }

  #opened(): Store {
    if (this.#current === undefined) throw new Error('no store is open');
    return this.#current;
  }

  /** Bytes of a run's content in the store. */
  async contentBytes(run_id: string): Promise<number> {
    const names = ['key', 'pause', 'request', 'continuation', 'answer', 'conversation'];
    const items = await Promise.all(names.map((name) => this.#opened().content(run_id, name)));
    return items.reduce((sum, item) => sum + (item?.length ?? 0), 0);
  }

  start(content: string, fields: Partial<Parameters<Gateway['runs']['start']>[0]> = {}) {
    return this.runs.start({ ...this.#asking(content, false), ...fields });
  }

  /** Starts a run whose answer is streamed into `frames`. */
  startStreamed(content: string, frames: ChatCompletionChunk[], gone?: AbortSignal) {
    const write = (frame: object): undefined => void frames.push(frame as ChatCompletionChunk);
    const sink = { ready: () => undefined, write };
    return this.runs.start({ ...this.#asking(content, false), sink }, gone);
  }

  /** Checks a request without a model call, and records that as a run. */
  check(content: string) {
    return this.runs.check({ ...this.#asking(content, false), answer: null, evidence: true }, new AbortController().signal);
  }

  /** Starts a run that requests vectors. */
  embed(input: string) {
    const request = { model: this.#route.name, messages: [], input };
    return this.runs.start({ ...this.#asking('', false), request, embedding: new EmbeddingCall() });
  }

  startInBackground(content: string) {
    return this.runs.startInBackground(this.#asking(content, true));
  }

  #asking(content: string, keepAnswer: boolean) {
    const request = { model: this.#route.name, messages: [{ role: 'user', content }] };
    return {
      route: this.#route,
      protocol: CHAT,
      principal_id: 'alice',
      request,
      approvers: [],
      keepAnswer,
      keepRequest: false,
      synchronous: false,
      idempotency_key: null,
      traceparent: null,
      sink: null,
      bytes: this.bytes.reserve(),
    };
  }

  /** Replays all runs with the guards of another route, newest first. */
  async replay(parts: RouteParts): Promise<Replayed[]> {
    const route = offlineRoute(routeOf(parts));
    const replay = await Replay.open({
      store: this.#opened(),
      content_keys: CONTENT_KEYS,
      routes: new Map([[route.runtime.name, route]]),
      protocols: [],
      clock: this.clock,
      workers: this.#workers,
      logger: this.logger,
    });
    const all: Replayed[] = [];
    for await (const { runs } of replay.pages({}, null)) all.push(...runs);
    return all;
  }

  async close(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    await this.#workers.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function inventoryOf(name: string) {
  return {
    review_interval_days: null,
    config_path: 'svc.yaml',
    definition: {
      record_type: 'model_inventory' as const,
      model_id: name,
      model_name: 'm-1',
      model_description: null,
      model_risk_rating: null,
      model_owner: null,
      model_developer: 'test',
      model_origin: 'local (eu)',
      model_version: null,
      model_dependencies: [],
      data_sources: [],
      approved_uses: {},
      model_limitations: [],
      monitoring_status: '',
      date_of_most_recent_review: null,
    },
  };
}
