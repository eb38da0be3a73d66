import { isoTime, type Protocol, type RequestBody, type RunRow, stateEvent } from '@svc/contracts';
import { LiveRun } from '@svc/kernel';
import type { ByteReservation } from '@svc/kernel/admission';
import { firstEndpoint } from '@svc/kernel/endpoints';
import type { Continued, Conversation } from '@svc/kernel/ports';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { EmbeddingCall } from '../../answers/embedding-call.ts';
import { historyOf } from '../../content/history.ts';
import type { AnswerSink } from '../../streaming/answer-sink.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { type IdempotencyKey, requestDigest, uniqueKeyOf } from './idempotency.ts';

/** A caller's request for a run. */
export interface RunRequest {
  route: RuntimeRoute;
  principal_id: string;
  /** The person that an issuer verified. Null or absent: a key was used. */
  identity?: { readonly issuer: string; readonly subject: string } | null;
  /** `team`: its budgets also count the spend. `key_id`: the caller's key, if it was created at run time. Null: none. */
  team?: string | null;
  key_id?: string | null;
  /** What the client said about itself, see `RunRow`. Absent or null: nothing. */
  session?: string | null;
  client?: string | null;
  user?: string | null;
  /** The protocol of `request`, and of the answer. */
  protocol: Protocol;
  request: RequestBody;
  /** Paths of the parts of the caller's request that are missing in `request`. */
  unsupported?: readonly string[];
  /** Present if the caller requests vectors of `request.input`. Receives the answer. */
  embedding?: EmbeddingCall;
  approvers: readonly string[];
  keepAnswer: boolean;
  /** Whether the caller wants to read the request later as the model received it. */
  keepRequest: boolean;
  /** What to store so that a later run can continue this one, if content is recorded (`record_content`). */
  conversation?: Conversation | null;
  /** Where earlier runs store the beginning of `request`, as returned by `stored.conversation`. */
  continued?: Continued | null;
  /** Requests with the same key get the same run. Null: none. */
  idempotency_key: IdempotencyKey | null;
  /** W3C trace context that the caller sent, or null. */
  traceparent: string | null;
  /** Bytes in flight of the request. The run also holds them until it is done. */
  bytes: ByteReservation;
  /** Whether the caller waits for the answer, and may be kept waiting for a decision. */
  synchronous: boolean;
  /** Receives the answer as a stream, if the caller requested one and the route allows it. Null: the answer is returned whole. */
  sink: AnswerSink | null;
}

/** Creates a run that is not stored yet. @param run_id must be new */
export function newRun(
  run_id: string,
  requested: RunRequest,
  status: 'pending' | 'running',
  { clock, instance }: GatewayEnv,
): LiveRun {
  const {
    route,
    protocol,
    request,
    unsupported = [],
    principal_id,
    team = null,
    key_id = null,
    session = null,
    client = null,
    user = null,
    idempotency_key,
    traceparent,
    keepRequest,
    conversation = null,
    continued = null,
  } = requested;
  const { config_digest } = route;
  const now = clock.now();
  const row: RunRow = {
    run_id,
    route: route.name,
    principal_id,
    ...requested.identity,
    status,
    approvers: [...requested.approvers],
    events: [],
    config_digest,
    created_at: isoTime(now),
    expires_at: null,
    approver: null,
    owner: instance,
    version: 0,
    evidence: null,
  };
  if (team !== null) row.team = team;
  if (key_id !== null) row.key_id = key_id;
  if (session !== null) row.session = session;
  if (client !== null) row.client = client;
  if (user !== null) row.user = user;
  const unique_key = idempotency_key === null ? null : uniqueKeyOf(principal_id, idempotency_key);
  if (idempotency_key !== null) row.request_digest = requestDigest(principal_id, route.name, idempotency_key);
  const run = new LiveRun(row, {
    route,
    bytes: requested.bytes.hold(),
    protocol,
    request,
    origin: status === 'pending' ? 'queue' : 'caller',
    stored: { kind: 'nothing', unique_key },
    traceparent,
    keepRequest,
    conversation,
    history: continued && historyOf(continued, protocol.turnsOf(request)),
    embedding: requested.embedding === undefined ? null : route.embeddings,
    keepAnswer: requested.keepAnswer || unique_key !== null,
  });
  run.events.push(stateEvent('ingress', config_digest, status === 'running' ? firstEndpoint(run) : null, null, status));
  if (unsupported.length > 0) run.record('unsupported', 'ingress', '', { names: [...unsupported] });
  return run;
}
