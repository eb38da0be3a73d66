import type { AnswerBody, Cost, Endpoint, JsonObject, Protocol, RequestBody, RunEvent, Spend, Stage } from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { Timeline } from '../observing/timeline.ts';
import type { RuntimeRoute } from './route.ts';
import type { Conversation } from './run-vault.ts';

/** What guards check, with its context: the request of a run, or one without a run. */
export interface GuardedRequest {
  readonly run_id: string;
  readonly principal_id: string;
  readonly row?: { readonly team?: string };
  readonly route: Pick<RuntimeRoute, 'name' | 'endpoints'>;
  /** Of `request`, and of the answer that the caller gets. */
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** For embeddings: what happens if a guard would mask. */
  readonly embedding?: RuntimeRoute['embeddings'] | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
  readonly abort: Pick<AbortController, 'signal'>;
  /** The reservation of the request and its answers in the bytes in flight; null: the caller counts them. */
  readonly bytes: ByteReservation | null;
}

/** What the pipeline needs of a run; it changes `request`, `completion`, `states`, `spend` and `cost` and appends to `events`. */
export interface PipelineRun extends GuardedRequest {
  readonly route: RuntimeRoute;
  /** The run that it continues; null or absent: none. */
  readonly continues?: string | null;
  /** The key that its endpoint is drawn by, see `affinityKey`. Null or absent: its id. */
  readonly affinity?: string | null;
  /** What a later run may continue of it; null or absent: nothing. */
  readonly conversation?: Conversation | null;
  completion: AnswerBody | null;
  readonly spend: Spend[];
  /** `partial`: an attempt may have a cost that is unknown, since it was cancelled before its answer arrived. */
  cost: Cost;
  readonly events: RunEvent[];
  readonly abort: AbortController;
  /** The provider that it waits for; null: none. */
  calling: string | null;
  /** Accepted before it began: a background run, or an approved one. It is not refused when all threads are busy. */
  readonly admitted: boolean;
  readonly timeline: Timeline;
  /** The write of its start, which must be done before anything is sent to a model; null: done before, or not written. */
  readonly startWrite: Promise<unknown> | null;
  readonly bytes: ByteReservation;
}

/** Where in its route a run starts or continues. */
export interface EntryPoint {
  readonly stage: Stage | 'execute';
  /** Index in the stage of the node that is asked first, if the run continues after a pause; null: the stage starts at its first node. */
  readonly resumed_at: number | null;
  /** Whether an approver approved the current payload for this node. */
  readonly approved: (node: string) => boolean;
  /** The endpoint that this was approved for; null or absent: the first. */
  readonly endpoint?: Endpoint | null | undefined;
}
