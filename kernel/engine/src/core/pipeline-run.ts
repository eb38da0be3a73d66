import type { ChatCompletion, ChatRequest, Cost, JsonObject, RunEvent, Spend, Stage } from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { CallEnv } from '../calls/guard-call.ts';
import type { Timeline } from '../observing/timeline.ts';
import type { RuntimeRoute } from './route.ts';

/** What guards are asked about, and told of: the request of a run, or one that belongs to none. */
export interface GuardedRequest {
  readonly run_id: string;
  readonly principal_id: string;
  readonly route: Pick<RuntimeRoute, 'name' | 'endpoints'>;
  readonly request: ChatRequest;
  /** Of a request that asks for vectors: what a guard does that would mask. */
  readonly embedding?: RuntimeRoute['embeddings'] | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
  readonly abort: Pick<AbortController, 'signal'>;
  /** What the request and its answers hold of the bytes in flight; null: whoever took the request counts them. */
  readonly bytes: ByteReservation | null;
}

/** What the pipeline needs of a run; it changes `request`, `completion`, `states`, `spend` and `cost` and appends to `events`. */
export interface PipelineRun extends GuardedRequest {
  readonly route: RuntimeRoute;
  completion: ChatCompletion | null;
  readonly spend: Spend[];
  /** `partial`: an attempt may have cost what nobody told, since it was given up before its answer came. */
  cost: Cost;
  readonly events: RunEvent[];
  readonly abort: AbortController;
  /** Taken on before it began: in the background, or paused and approved. Full threads do not turn it away. */
  readonly admitted: boolean;
  readonly timeline: Timeline;
  /** The write of its start, which whatever is sent to a model waits for; null: it was written before, or is not written. */
  readonly startWrite: Promise<unknown> | null;
  readonly bytes: ByteReservation;
}

/** What a call of a guard in this run is held to; what was paid for is not turned away any more. */
export function callEnv(
  run: Pick<PipelineRun, 'admitted'>,
  stage: Stage | 'execute',
  { clock, workers }: Pick<CallEnv, 'clock' | 'workers'>,
): CallEnv {
  return { clock, workers, admitted: run.admitted || stage === 'egress' };
}
