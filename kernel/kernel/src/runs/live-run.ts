import {
  type AnswerBody,
  type Cost,
  type Endpoint,
  type EventData,
  type EventStage,
  type EventType,
  type JsonObject,
  type Protocol,
  type RequestBody,
  type RunChange,
  type RunEvent,
  type RunRow,
  type RunStatus,
  runEvent,
  type Spend,
  stateEvent,
} from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { PauseClaim } from '../admission/pause-claim.ts';
import { affinityKey } from '../endpoints/affinity.ts';
import { withRequestedModel } from '../endpoints/requested-model.ts';
import { Timeline } from '../observing/timeline.ts';
import type { AnswerTransport } from './attempt.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { RuntimeRoute } from './route.ts';
import type { Cancelled } from './run-stop.ts';
import type { Conversation, History, RestoredRun, RunKey } from './run-vault.ts';
import { canMove } from './states.ts';

/** Where this process got a run from. `unreadable`: from the store, but without its content. The `request` is then empty and no content is kept. */
export type Origin = 'caller' | 'queue' | 'store' | 'unreadable';

/** What the store holds of a run. */
export type Stored =
  /** The store has nothing. The first row gets `unique_key`, which no other run may have. Null: it gets none. */
  | { readonly kind: 'nothing'; readonly unique_key: string | null }
  /** The first row is being written while the ingress guards work. No model is called and no other row is written before that is done. */
  | { readonly kind: 'starting'; readonly written: Promise<unknown> }
  | { readonly kind: 'row'; readonly row: NonNullable<RunChange['expect']> };

/** `affinity`: if absent, it is derived from the request, which must not have been edited yet. */
interface LiveRunParts extends RestoredRun {
  readonly route: RuntimeRoute;
  readonly bytes: ByteReservation;
  readonly origin: Origin;
  readonly stored: Stored;
  readonly embedding?: RuntimeRoute['embeddings'] | null;
  readonly traceparent?: string | null;
}

/** A run that this process is working on. */
export class LiveRun implements PipelineRun {
  readonly row: RunRow;
  readonly run_id: string;
  readonly principal_id: string;
  readonly events: RunEvent[];
  readonly route: RuntimeRoute;
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly origin: Origin;
  readonly admitted: boolean;
  stored: Stored;
  completion: AnswerBody | null;
  readonly states: Map<string, JsonObject>;
  readonly spend: Spend[];
  cost: Cost;
  /** The key that encrypts the run's content in the store. Null if no content has been written or read yet. */
  contentKey: RunKey | null;
  /** Whether the answer is kept to be fetched later, because no caller waits for it. */
  readonly keepAnswer: boolean;
  /** Whether the request that the model received is kept, too, because the caller asked for it. */
  readonly keepRequest: boolean;
  /** The part of the run that a later run may continue; null: nothing, or content is not recorded. */
  readonly conversation: Conversation | null;
  /** The id of the run that this one continues, or null. */
  readonly continues: string | null;
  /** The parts of the request that earlier runs keep, or null. */
  readonly history: History | null;
  readonly embedding: RuntimeRoute['embeddings'] | null;
  readonly affinity: string | null;
  /** W3C trace context that the caller sent. */
  readonly traceparent: string | null;
  /** Released when this process has finished its work on the run. */
  readonly bytes: ByteReservation;
  readonly abort = new AbortController();
  readonly timeline = new Timeline();
  calling: string | null = null;
  /** The pause claim that counts the run until its model is called. Null if the run is not counted. */
  claim: PauseClaim | null = null;
  /** How the answer reaches the caller. Null: it is returned whole. */
  transport: AnswerTransport | null = null;

  constructor(row: RunRow, parts: LiveRunParts) {
    this.row = row;
    this.run_id = row.run_id;
    this.principal_id = row.principal_id;
    this.events = row.events;
    this.route = withRequestedModel(parts.route, parts.request.model);
    this.protocol = parts.protocol;
    this.request = parts.request;
    this.origin = parts.origin;
    this.admitted = parts.origin !== 'caller';
    this.stored = parts.stored;
    this.completion = parts.completion ?? null;
    this.states = parts.states ?? new Map();
    this.spend = parts.spend ?? [];
    this.cost = parts.cost ?? 'complete';
    this.contentKey = parts.contentKey ?? null;
    this.keepAnswer = parts.keepAnswer ?? false;
    this.keepRequest = parts.keepRequest ?? false;
    this.conversation = parts.conversation ?? null;
    this.history = parts.history ?? null;
    this.continues = this.history?.run_id ?? null;
    this.embedding = parts.embedding ?? null;
    this.affinity = parts.affinity === undefined ? affinityKey(this) : parts.affinity;
    this.traceparent = parts.traceparent ?? null;
    this.bytes = parts.bytes;
  }

  get startWrite(): Promise<unknown> | null {
    return this.stored.kind === 'starting' ? this.stored.written : null;
  }

  /** Whether the store may hold content of the run, because this or another process wrote some. */
  get mayHaveContent(): boolean {
    return this.contentKey !== null || this.origin === 'store' || this.origin === 'unreadable';
  }

  record<T extends EventType>(event_type: T, stage: EventStage, node: string, data: EventData<T>): void {
    this.events.push(runEvent(event_type, stage, node, data));
  }

  /** Records why this process stopped working on the run. */
  recordAbort(by: Cancelled): void {
    const cut = this.cost === 'partial' ? ({ spend: 'unknown' } as const) : {};
    if (by.kind !== 'stopped') this.record(by.kind, 'execute', '', cut);
    else this.record('stopped', 'execute', '', { code: by.code, operation: by.operation, ...cut });
  }

  /** Changes the status in memory; a commit writes it to the store. `endpoint`: the one to be called next, if any. */
  move(to: RunStatus, stage: EventStage, endpoint: Endpoint | null = null): void {
    const from = this.row.status;
    if (!canMove(from, to)) throw new Error(`a run cannot move from ${from} to ${to}`);
    this.row.status = to;
    this.events.push(stateEvent(stage, this.route.config_digest, endpoint, from, to));
  }
}

/** A stored run that this process continues. */
export function storedRun(row: RunRow, parts: Omit<LiveRunParts, 'origin' | 'stored'>): LiveRun {
  return new LiveRun(row, { ...parts, origin: 'store', stored: storedAs(row) });
}

/** A stored run whose content is missing or unreadable. */
export function unreadableRun(row: RunRow, parts: Pick<LiveRunParts, 'route' | 'bytes' | 'cost' | 'protocol'>): LiveRun {
  const request = { model: row.route, messages: [] };
  return new LiveRun(row, { ...parts, request, affinity: null, origin: 'unreadable', stored: storedAs(row) });
}

/** The stored row that the next commit expects. */
export function storedAs({ status, version, owner }: RunRow): Extract<Stored, { kind: 'row' }> {
  return { kind: 'row', row: { status, version, owner } };
}
