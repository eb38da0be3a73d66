import type { ChatRequest } from '@svc/contracts';
import { BytesInFlight } from '../admission/bytes-in-flight.ts';
import { newRunId } from '../admission/run-id.ts';
import type { Halt } from '../core/pipeline-run.ts';
import { goneRoute, type PipelineNode } from '../core/route.ts';
import { type PipelineEnv, runStage, STAGE_START } from '../core/stage.ts';
import { Timeline } from '../observing/timeline.ts';

export interface Screening extends PipelineEnv {
  /** What the guards are told as `ctx.route`. */
  readonly name: string;
  readonly nodes: readonly PipelineNode[];
  readonly principal_id: string;
  readonly signal: AbortSignal;
}

/**
 * Lets guards judge and edit a request that no model is asked with, outside any run: nothing is recorded.
 * @returns null where all let it pass; `request` is then as they left it
 */
export async function screenRequest(request: ChatRequest, screening: Screening): Promise<Halt | null> {
  const { name, nodes, principal_id, signal, clock } = screening;
  const abort = new AbortController();
  if (signal.aborted) abort.abort('disconnected');
  else signal.addEventListener('abort', () => abort.abort('disconnected'), { once: true });
  const run = {
    run_id: newRunId(clock.now()),
    principal_id,
    route: { ...goneRoute(name), ingress: nodes },
    request,
    completion: null,
    states: new Map(),
    spend: [],
    unbilled: false,
    events: [],
    abort,
    admitted: false,
    timeline: new Timeline(),
    startWrite: null,
    // Counted by whoever took the request.
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY).reserve(),
  };
  return runStage(run, 'ingress', STAGE_START, () => false, screening);
}
