import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type ChatCompletion, type ChatRequest, parseBody, type Store, SvcError } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { BytesInFlight } from '@svc/kernel/admission';
import { noopObserver } from '@svc/kernel/observing';
import { GuardPool } from '@svc/kernel/workers';
import { sha256, signingKey } from '@svc/ledger';
import { CHAT } from '@svc/protocols';
import { KeyTree } from '../content/key-tree.ts';
import { TRUSTED_APPROVERS } from '../pauses/approver.ts';
import { assertKnownRoles } from '../texts/known-roles.ts';
import { whyUnrecordable } from '../texts/recordable.ts';
import { Gateway } from './gateway.ts';
import type { GatewayOptions, LedgerOptions } from './gateway-options.ts';
import { buildRoute, type NewRoute } from './new-route.ts';
import { machineClock, silentLogger } from './plugin-deps.ts';

const DAY_MS = 86_400_000;
const MAX_BYTES = 16_777_216;

/**
 * Options of {@link createGateway}. All except store and routes have defaults. Generated keys exist only in this process. To open the same ledger
 * again, pass the same keys; with other keys, opening fails.
 */
export interface NewGateway extends Partial<Omit<GatewayOptions, 'store' | 'routes' | 'ledger'>> {
  /** Must not be open: the gateway opens and closes it. */
  readonly store: Store;
  /** Routes by name. Callers send the name as `model`. */
  readonly routes: Readonly<Record<string, NewRoute>>;
  readonly ledger?: Partial<LedgerOptions>;
}

/** A gateway that runs inside a program. */
export interface EmbeddedGateway {
  /** Runs, approvals, audit: everything except {@link chat}. */
  readonly gateway: Gateway;
  /**
   * Takes a request through its route until the run ends or pauses. Everything is on disk when the promise resolves. The caller's request object is
   * not changed. A number that a double cannot hold may be a `JSON.rawJSON` object, in requests and answers.
   * @param principal_id the caller, for the evidence
   * @param gone aborts when the caller has disconnected
   * @throws {SvcError} SVC-REQ-001, SVC-ROUTE-001, SVC-BUSY-001, SVC-STORE-001
   */
  chat(principal_id: string, request: ChatRequest, gone?: AbortSignal): Promise<RunOutcome<ChatCompletion>>;
  /** Ends every run, then closes the store and the threads. Does not close guards and providers; the code that created them does. */
  close(): Promise<void>;
}

/** Opens a gateway from typed values, without a configuration file and without HTTP. */
export async function createGateway({ routes, ledger, ...options }: NewGateway): Promise<EmbeddedGateway> {
  // The options of a guard cannot be inspected. So every start counts as a new configuration, and approvals do not survive it.
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
    reuse_for_ms: 600_000,
    retention_ms: null,
    content_keys: { newest: KeyTree.generate(), older: [], forget: null },
    seals_inventory: true,
    approvers: TRUSTED_APPROVERS,
    exporters: [],
    retrieval: null,
    ...options,
    config_digest,
    bytes,
    routes: built,
    ledger: {
      origin: null,
      signing_keys: keyOfProcess(),
      not_signed: null,
      checkpoint_pin: null,
      witnessing: null,
      timestamping: null,
      ...ledger,
    },
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
        throw new SvcError('SVC-BUSY-001', 'too many bytes are in flight; try again later');
      const runRequest = {
        route,
        principal_id,
        protocol: CHAT,
        request: parseBody(text) as ChatRequest,
        approvers: route.approvers,
        keepAnswer: false,
        keepRequest: false,
        synchronous: true,
        idempotency_key: null,
        traceparent: null,
        sink: null,
        bytes: reservation,
      };
      const outcome = await gateway.runs.start(runRequest, gone).finally(() => reservation.release());
      return outcome as RunOutcome<ChatCompletion>;
    },
    close: async () => {
      await gateway.close();
      await threads.close();
    },
  };
}

/** Creates a key for a new ledger. A ledger that was signed before rejects the key. */
function keyOfProcess(): LedgerOptions['signing_keys'] {
  return {
    file: 'the memory of the process that started the run',
    read: async () => null,
    make: async () => signingKey(generateKeyPairSync('ed25519').privateKey),
  };
}
