import type {
  ChatCompletion,
  ChatRequest,
  GuardContext,
  Hint,
  JsonObject,
  RunEvent,
  Spend,
  Stage,
  SvcError,
} from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import type { CallEnv, CallScope } from '../calls/guard-call.ts';
import type { Timeline } from '../observing/timeline.ts';
import type { PipelineNode, RuntimeRoute } from './route.ts';

/** Why a run was given up from outside. */
export type AbortReason = 'disconnected' | 'interrupted';

/** What the pipeline needs of a run; it changes `request`, `completion`, `states`, `spend` and `unbilled` and appends to `events`. */
export interface PipelineRun {
  readonly run_id: string;
  readonly principal_id: string;
  readonly route: RuntimeRoute;
  readonly request: ChatRequest;
  completion: ChatCompletion | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
  readonly spend: Spend[];
  /** An attempt may have cost what nobody told: it was given up before its answer came. */
  unbilled: boolean;
  readonly events: RunEvent[];
  readonly abort: AbortController;
  /** Taken on before it began: in the background, or paused and approved. Full threads do not turn it away. */
  readonly admitted: boolean;
  readonly timeline: Timeline;
  /** The write of its start, which whatever is sent to a model waits for; null: it was written before, or is not written. */
  readonly startWrite: Promise<void> | null;
  /** What its request and answers hold of the bytes in flight. */
  readonly bytes: ByteReservation;
}

/** Why a pipeline stopped before its end. `index` is the pausing node's place in its stage. */
export type Halt =
  | {
      readonly kind: 'blocked';
      readonly stage: Stage | 'execute';
      readonly node: string;
      readonly code: string;
      readonly hint?: Hint | undefined;
    }
  | {
      readonly kind: 'paused';
      readonly stage: Stage | 'execute';
      readonly node: string;
      readonly index: number;
      readonly code: string;
      readonly hint?: Hint | undefined;
    }
  | { readonly kind: 'failed'; readonly error: SvcError; readonly stage: Stage | 'execute' }
  | { readonly kind: AbortReason };

/** What a call of a guard in this run is held to; what was paid for is not turned away any more. */
export function callEnv(
  run: PipelineRun,
  stage: Stage | 'execute',
  { clock, workers }: Pick<CallEnv, 'clock' | 'workers'>,
): CallEnv {
  return { clock, workers, admitted: run.admitted || stage === 'egress' };
}

export function haltOnAbort(run: PipelineRun): Halt | null {
  if (!run.abort.signal.aborted) return null;
  return { kind: run.abort.signal.reason === 'disconnected' ? 'disconnected' : 'interrupted' };
}

export function guardContext(
  run: PipelineRun,
  node: PipelineNode,
  stage: Stage,
  { signal, runInWorker }: CallScope,
): GuardContext {
  const { n, max_completion_tokens, max_tokens } = run.request;
  let state = run.states.get(node.name);
  if (state === undefined) {
    state = {};
    run.states.set(node.name, state);
  }
  return {
    run_id: run.run_id,
    route: run.route.name,
    principal_id: run.principal_id,
    node: node.name,
    stage,
    mode: node.mode,
    state,
    endpoints: run.route.endpoints.map(({ provider, model, region }) => ({ provider, model, region })),
    choices: Number.isInteger(n) && n !== undefined && n > 0 ? n : 1,
    max_output_tokens: mostOutput(max_completion_tokens, max_tokens),
    signal,
    runInWorker,
  };
}

/** Of two bounds the looser one: which of them a provider heeds is its own affair. One that a guard masked is a text, and no bound. */
function mostOutput(...bounds: readonly unknown[]): number | null {
  const given = bounds.filter((bound) => typeof bound === 'number');
  return given.length === 0 ? null : Math.max(...given);
}
