import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type ChatRequest, type Store, SvcError } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import { BytesInFlight } from '../admission/bytes-in-flight.ts';
import { KeyTree } from '../content/key-tree.ts';
import type { RunOutcome } from '../core/outcome.ts';
import { Gateway } from '../lifecycle/gateway.ts';
import type { GatewayOptions, LedgerOptions } from '../lifecycle/gateway-options.ts';
import { noopObserver } from '../observing/observer.ts';
import { assertKnownRoles, whyUnrecordable } from '../segments/index.ts';
import { GuardPool } from '../workers/guard-pool.ts';
import { buildRoute, type NewRoute } from './new-route.ts';
import { machineClock, silentLogger } from './plugin-deps.ts';

const DAY_MS = 86_400_000;
const MAX_BYTES = 16_777_216;

/**
 * What a program says; all but store and routes has a default. The keys that are made where none are given live as long as the process:
 * a ledger that is opened again needs the ones that it was begun with, and is refused without them.
 */
export interface NewGateway extends Partial<Omit<GatewayOptions, 'store' | 'routes' | 'ledger'>> {
  /** Not opened yet; the gateway opens and closes it. */
  readonly store: Store;
  /** By name, which a request gives as its `model`. */
  readonly routes: Readonly<Record<string, NewRoute>>;
  readonly ledger?: Partial<LedgerOptions>;
}

/** The engine in a program of one's own. */
export interface EmbeddedGateway {
  /** Runs, approvals, audit: everything beyond a chat. */
  readonly gateway: Gateway;
  /**
   * Takes a request through its route, to the end of its run or its first pause, with everything on disk. What the caller holds of the
   * request is not changed.
   * @param principal_id who asks, as the evidence has it
   * @param gone aborts when nobody waits for the answer any more
   * @throws {SvcError} SVC-REQ-001, SVC-ROUTE-001, SVC-BUSY-001, SVC-STORE-001
   */
  chat(principal_id: string, request: ChatRequest, gone?: AbortSignal): Promise<RunOutcome>;
  /** Ends every run, then lets go of the store and the threads. Guards and providers are their maker's to close. */
  close(): Promise<void>;
}

/** Opens an engine over typed values: no configuration file, no HTTP. */
export async function createGateway({ routes, ledger, ...options }: NewGateway): Promise<EmbeddedGateway> {
  // What a guard was made with cannot be seen. So that no approval outlives it unseen, every start counts as another configuration.
  const { config_digest = sha256(randomUUID()), bytes = new BytesInFlight(MAX_BYTES) } = options;
  const threads = new GuardPool();
  const built = Object.entries(routes).map(([name, route]) => buildRoute(name, route, config_digest));
  const byName = new Map(built.map(({ runtime }) => [runtime.name, runtime]));
  const opening = Gateway.open({
    clock: machineClock,
    workers: threads,
    count_tokens: null,
    logger: silentLogger,
    observer: noopObserver,
    record_content: false,
    record_start: true,
    result_ttl_ms: DAY_MS,
    expire_after_ms: 30 * DAY_MS,
    max_paused: { in_all: 10_000, per_principal: 100 },
    retention_ms: null,
    content_keys: { newest: KeyTree.generate(), older: [], forget: null },
    seals_inventory: true,
    exporters: [],
    retrieval: null,
    ...options,
    config_digest,
    bytes,
    routes: built,
    ledger: { origin: null, signing_keys: keyOfProcess(), checkpoint_pin: null, ...ledger },
  });
  const gateway = await opening.catch(async (error: unknown) => {
    await threads.close();
    throw error;
  });
  return {
    gateway,
    chat: async (principal_id, request, gone) => {
      const route = byName.get(request.model);
      if (route === undefined) throw new SvcError('SVC-ROUTE-001', 'no route has this name');
      if (!Array.isArray(request.messages)) throw new SvcError('SVC-REQ-001', 'messages must be an array');
      const why = whyUnrecordable(request);
      if (why !== null) throw new SvcError('SVC-REQ-001', `the request cannot be recorded: ${why}`);
      assertKnownRoles(request.messages);
      const text = JSON.stringify({ ...request, stream: undefined });
      const reservation = bytes.reserve();
      if (!reservation.grow('request', Buffer.byteLength(text)))
        throw new SvcError('SVC-BUSY-001', 'too many bytes in flight; ask again later');
      const asked = {
        route,
        principal_id,
        request: JSON.parse(text) as ChatRequest,
        approvers: route.approvers,
        keepAnswer: false,
        keepRequest: false,
        synchronous: true,
        idempotency_key: null,
        traceparent: null,
        sink: null,
        bytes: reservation,
      };
      return gateway.runs.start(asked, gone).finally(() => reservation.release());
    },
    close: async () => {
      await gateway.close();
      await threads.close();
    },
  };
}

/** Made for a ledger that begins; never right for one that was signed before. */
function keyOfProcess(): LedgerOptions['signing_keys'] {
  return {
    file: 'the memory of the process that began it',
    read: async () => null,
    make: async () => generateKeyPairSync('ed25519').privateKey,
  };
}
