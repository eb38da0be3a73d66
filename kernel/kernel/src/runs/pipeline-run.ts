import type { AnswerBody, Cost, Endpoint, JsonObject, Protocol, RequestBody, RunEvent, Spend, Stage } from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { Timeline } from '../observing/timeline.ts';
import type { RuntimeRoute } from './route.ts';
import type { Conversation } from './run-vault.ts';

/** A request that guards check, with its context. It need not belong to a run. */
export interface GuardedRequest {
  readonly run_id: string;
  readonly principal_id: string;
  readonly row?: { readonly team?: string };
  readonly route: Pick<RuntimeRoute, 'name' | 'endpoints' | 'untrusted'>;
  /** The protocol of `request`, and of the answer to the caller. */
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** For embeddings: what happens if a guard would mask text. */
  readonly embedding?: RuntimeRoute['embeddings'] | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
  readonly abort: Pick<AbortController, 'signal'>;
  /** The bytes in flight that are reserved for the request and its answers. Null: the caller counts them. */
  readonly bytes: ByteReservation | null;
}

/** The part of a run that the pipeline needs. It changes `request`, `completion`, `states`, `spend` and `cost`, and appends to `events`. */
export interface PipelineRun extends GuardedRequest {
  readonly route: RuntimeRoute;
  /** The id of the run that this one continues. Null or absent: none. */
  readonly continues?: string | null;
  /** The key for the random order of its endpoints, see `affinityKey`. Null or absent: the run's id. */
  readonly affinity?: string | null;
  /** The part of the run that a later run may continue; null or absent: nothing. */
  readonly conversation?: Conversation | null;
  completion: AnswerBody | null;
  readonly spend: Spend[];
  /** `partial`: the cost of an attempt may be unknown, because it was cancelled before its answer arrived. */
  cost: Cost;
  readonly events: RunEvent[];
  readonly abort: AbortController;
  /** The provider that the run is waiting for, or null. */
  calling: string | null;
  /** Whether the run was accepted before it began: a background run, or an approved one. Such a run is not refused when all threads are busy. */
  readonly admitted: boolean;
  readonly timeline: Timeline;
  /** The write of the run's start, which must be done before anything is sent to a model. Null: it is done, or the start is not recorded. */
  readonly startWrite: Promise<unknown> | null;
  readonly bytes: ByteReservation;
}

/** Where in its route a run starts or continues. */
export interface EntryPoint {
  readonly stage: Stage | 'execute';
  /** Index in the stage of the node to ask first after a pause. Null: the stage starts at its first node. */
  readonly resumed_at: number | null;
  /** Whether an approver approved the current payload for this node. */
  readonly approved: (node: string) => boolean;
  /** The endpoint that was approved. Null or absent: the first one. */
  readonly endpoint?: Endpoint | null | undefined;
}
