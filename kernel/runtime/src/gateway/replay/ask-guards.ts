import type { AnswerBody, Clock, JsonObject, Logger, Protocol, RequestBody, RunEvent, RunRow } from '@svc/contracts';
import { type LiveRun, type RunStop, storedRun } from '@svc/kernel';
import { BytesInFlight } from '@svc/kernel/admission';
import { endpointsFor, TriedEndpoints } from '@svc/kernel/endpoints';
import { askEndpointHooks, type PipelineEnv, runStage } from '@svc/kernel/guards';
import { noopObserver } from '@svc/kernel/observing';
import type { RunPolicy } from '@svc/kernel/ports';
import { nodesOf, type RuntimeRoute } from '@svc/kernel/routes';
import type { GuardWorkers } from '@svc/kernel/workers';
import { texts } from '../../texts/texts.ts';
import type { GuardAct } from './effect.ts';

export interface AskedBody {
  readonly row: RunRow;
  readonly route: RuntimeRoute;
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** Null: there is no answer, so the guards in egress are not asked. */
  readonly completion: AnswerBody | null;
  readonly stages: readonly ('ingress' | 'execute' | 'egress')[];
  /** For embeddings: what happens if a guard masks text. */
  readonly embedding: RuntimeRoute['embeddings'] | null;
  /** Whether the run continues after this pause, as if it had been approved. */
  readonly goes_on: (pause: Pick<GuardAct, 'stage' | 'node'>) => boolean;
  /** State of nodes by name. */
  readonly states: Map<string, JsonObject>;
}

export interface AskedGuards {
  readonly events: readonly RunEvent[];
  /** The pause before a model call, if a guard asked for it. */
  readonly endpoint_pause: Extract<RunStop, { kind: 'paused' }> | null;
  /** Why the run stopped. Null: it did not. */
  readonly stop: RunStop | null;
}

/** Nothing is stopped: what operators have stopped is not part of a configuration. */
const NO_POLICY: RunPolicy = {
  guardStop: () => null,
  providerStop: () => null,
  asksApproval: () => false,
  assertMayContinue: () => undefined,
};
const UNBOUNDED = new BytesInFlight(Number.POSITIVE_INFINITY);

export interface GuardsEnv {
  readonly clock: Clock;
  readonly workers: GuardWorkers;
  readonly logger: Logger;
}

/** Asks the guards of a route about a request and its answer, with the code of a run. Calls no model and records nothing. Edits change the bodies. */
export async function askGuards(asked: AskedBody, { clock, workers, logger }: GuardsEnv): Promise<AskedGuards> {
  const { row, stages, goes_on, ...parts } = asked;
  const env: PipelineEnv = { clock, workers, logger, observer: noopObserver, policy: NO_POLICY, texts };
  const bytes = UNBOUNDED.reserve();
  const run = storedRun({ ...row, events: [] }, { ...parts, bytes });
  run.timeline.begin(clock);
  let endpoint_pause: AskedGuards['endpoint_pause'] = null;
  try {
    for (const stage of stages) {
      if (stage === 'egress' && run.completion === null) continue;
      const stop =
        stage === 'execute'
          ? await askEndpoints(run, env)
          : await runStage(run, stage, null, (node) => goes_on({ stage, node }), env);
      if (stage === 'execute' && stop?.kind === 'paused') endpoint_pause = stop;
      if (stop !== null && !(stop.kind === 'paused' && goes_on(stop))) return { events: run.events, endpoint_pause, stop };
    }
    return { events: run.events, endpoint_pause, stop: null };
  } finally {
    bytes.release();
  }
}

/** Why guards refuse every endpoint. Null: they allow one. */
async function askEndpoints(run: LiveRun, env: PipelineEnv): Promise<RunStop | null> {
  if (!nodesOf(run.route).some(({ guard }) => guard.endpoint)) return null;
  const tried = new TriedEndpoints<RunStop>();
  for (const endpoint of endpointsFor(run)) {
    const stop = await askEndpointHooks(run, endpoint, { first: 0, approved: () => false }, env);
    if (!tried.mayTryNext(stop)) return stop;
  }
  return tried.stop();
}
