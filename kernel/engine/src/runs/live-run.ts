import {
  type ChatCompletion,
  type ChatRequest,
  type Endpoint,
  type EventData,
  type EventStage,
  type EventType,
  isoTime,
  type JsonObject,
  type RunChange,
  type RunEvent,
  type RunRow,
  type RunStatus,
  runEvent,
  type Spend,
} from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { ContentOwner, RunKey } from '../content/vault.ts';
import { type PipelineRun, type RuntimeRoute, Timeline } from '../pipeline/index.ts';
import { newRunId } from '../pipeline/run-id.ts';
import type { AnswerLine, AnswerSink } from '../streaming/index.ts';
import { type IdempotencyKey, requestDigest, uniqueKeyOf } from './idempotency.ts';
import { firstEndpoint } from './paused-payload.ts';
import { canMove } from './states.ts';

/** A run that this process is working on. */
export class LiveRun implements PipelineRun, ContentOwner {
  readonly row: RunRow;
  readonly route: RuntimeRoute;
  readonly request: ChatRequest;
  completion: ChatCompletion | null;
  readonly states: Map<string, JsonObject>;
  readonly spend: Spend[];
  unbilled: boolean;
  readonly abort = new AbortController();
  readonly admitted: boolean;
  readonly timeline = new Timeline();
  /** Released when this process has done its work on the run. */
  readonly bytes: ByteReservation;
  /** W3C trace context that the caller sent. */
  readonly traceparent: string | null;
  /** The line on which its answer leaves as it comes; null where it is given whole. */
  line: AnswerLine | null = null;
  /** The write of its start, begun beside the ingress guards; a model is called, and the next row written, after it. Null: none was begun. */
  startWrite: Promise<void> | null = null;
  /** What the stored row is; null while nothing is stored. */
  stored: RunChange['expect'];
  /** Of its content in the store; null where none was put or read yet. */
  contentKey: RunKey | null;
  /** Whether the store may keep content of it: something was put, or another process worked on it. */
  hasContent: boolean;
  /** A key that no other run may have, given with the first row; null where there is none. */
  readonly uniqueKey: string | null;
  /** Whether the answer is kept for pick-up: nobody waits for it on the line that asked. */
  keepAnswer: boolean;
  /** Whether what the model was sent is kept, too: its caller asked for that. */
  readonly keepRequest: boolean;
  /** Whether what it was about could not be read: `request` says nothing then, and none of it is kept. */
  readonly isUnread: boolean;

  constructor(row: RunRow, parts: LiveRunParts) {
    this.row = row;
    this.route = parts.route;
    this.bytes = parts.bytes;
    this.request = parts.request;
    this.completion = parts.completion ?? null;
    this.states = parts.states ?? new Map();
    this.spend = parts.spend ?? [];
    this.unbilled = parts.unbilled ?? false;
    this.stored = parts.stored ?? null;
    this.contentKey = parts.contentKey ?? null;
    this.hasContent = this.stored !== null;
    this.admitted = this.stored !== null || row.status === 'pending';
    this.keepAnswer = parts.keepAnswer ?? false;
    this.keepRequest = parts.keepRequest ?? false;
    this.isUnread = parts.isUnread ?? false;
    this.uniqueKey = parts.uniqueKey ?? null;
    this.traceparent = parts.traceparent ?? null;
  }

  get run_id(): string {
    return this.row.run_id;
  }

  get streamed(): boolean {
    return this.line !== null;
  }

  get principal_id(): string {
    return this.row.principal_id;
  }

  get events(): RunEvent[] {
    return this.row.events;
  }

  record<T extends EventType>(event_type: T, stage: EventStage, node: string, data: EventData<T>): void {
    this.row.events.push(runEvent(event_type, stage, node, data));
  }

  /** Moves the run in memory; the store is told by a commit. `endpoint`: which one it goes on to, where it does. */
  move(to: RunStatus, stage: EventStage, config_digest: string, endpoint: Endpoint | null = null): void {
    const from = this.row.status;
    if (!canMove(from, to)) throw new Error(`a run cannot move from ${from} to ${to}`);
    this.row.status = to;
    this.row.events.push(stateEvent(stage, config_digest, endpoint, from, to));
  }
}

/** With the endpoint that a run is on its way to: its row on disk names it before it is called. In canonical order, see evidenceOf. */
function stateEvent(
  stage: EventStage,
  config_digest: string,
  endpoint: Endpoint | null,
  from: RunStatus | null,
  to: RunStatus,
): RunEvent {
  const data = { config_digest, ...(endpoint === null ? {} : { endpoint }), from, to };
  return runEvent('state', stage, '', data);
}

interface LiveRunParts {
  route: RuntimeRoute;
  bytes: ByteReservation;
  request: ChatRequest;
  completion?: ChatCompletion | null;
  states?: Map<string, JsonObject>;
  spend?: Spend[];
  unbilled?: boolean;
  stored?: RunChange['expect'];
  contentKey?: RunKey | null;
  keepAnswer?: boolean;
  keepRequest?: boolean;
  isUnread?: boolean;
  uniqueKey?: string | null;
  traceparent?: string | null;
}

export interface NewRun {
  route: RuntimeRoute;
  principal_id: string;
  request: ChatRequest;
  approvers: readonly string[];
  keepAnswer: boolean;
  /** Whether the caller wants to read what the model was sent, as the guards left it. */
  keepRequest: boolean;
  /** Whether the caller holds the line and may be kept waiting for a decision. */
  on_the_line: boolean;
  /** The caller's own key for this run: asked again with it, the same run is given. Null: none. */
  idempotency_key: IdempotencyKey | null;
  /** W3C trace context that the caller sent; null: none. */
  traceparent: string | null;
  /** Where the answer goes as it comes, where the caller asked for that and its route allows it; null: it is wanted whole. */
  sink: AnswerSink | null;
  /** What the request holds of the bytes in flight; held by the run, too, until it is done. */
  bytes: ByteReservation;
}

/** A new run in status `status`, not stored yet. */
export function newRun(asked: NewRun, status: 'pending' | 'running', owner: string, config_digest: string, now: number): LiveRun {
  const row: RunRow = {
    run_id: newRunId(now),
    route: asked.route.name,
    principal_id: asked.principal_id,
    status,
    approvers: [...asked.approvers],
    events: [stateEvent('ingress', config_digest, status === 'running' ? firstEndpoint(asked) : null, null, status)],
    config_digest,
    created_at: isoTime(now),
    expires_at: null,
    approver: null,
    owner,
    version: 0,
    evidence: null,
  };
  const { route, request, principal_id, idempotency_key, traceparent, keepRequest } = asked;
  const uniqueKey = idempotency_key === null ? null : uniqueKeyOf(principal_id, idempotency_key);
  if (idempotency_key !== null) row.request_digest = requestDigest(principal_id, route.name, idempotency_key);
  return new LiveRun(row, {
    route,
    bytes: asked.bytes.hold(),
    request,
    uniqueKey,
    traceparent,
    keepRequest,
    keepAnswer: asked.keepAnswer || uniqueKey !== null,
  });
}
