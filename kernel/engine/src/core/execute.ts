import { ProviderError, type ProviderErrorKind } from '@svc/contracts';
import { usesWorkers } from '../calls/guard-call.ts';
import { callerError } from '../calls/provider-failure.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { Attempt } from './attempt.ts';
import { askEndpointHooks } from './endpoint-hooks.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { noThread, type RunStop, stopOnAbort } from './run-stop.ts';
import type { PipelineEnv } from './stage.ts';

/**
 * The execute step: calls the route's provider, and its fallbacks after a failure that another may not have. Each is first shown to
 * the guards that want to know: who refuses the provider stops the run, a refused fallback is passed over.
 * `first`: the place of the first of the route's nodes to ask of the provider, see {@link nodesOf}.
 */
export async function execute(
  run: PipelineRun,
  first: number,
  approved: (node: string) => boolean,
  call: Attempt,
  env: PipelineEnv,
): Promise<RunStop | null> {
  let attempt = 0;
  let failure: ProviderError | null = null;
  for (const endpoint of run.route.endpoints) {
    // An approval was given for the provider; nobody was asked about a fallback.
    const refused: RunStop | null =
      failure === null
        ? ((await askEndpointHooks(run, endpoint, first, approved, env)) ?? holdBack(run, env.workers))
        : await askEndpointHooks(run, endpoint, 0, () => false, env);
    if (refused !== null && (failure === null || refused.kind === 'disconnected' || refused.kind === 'interrupted'))
      return refused;
    if (refused !== null) continue;
    attempt += 1;
    const end = await call(endpoint, attempt);
    // What a guard refused stays refused, also where the caller leaves at the same moment.
    if (end.kind === 'halted') return end.halt;
    const aborted = stopOnAbort(run);
    if (aborted !== null || end.kind === 'answered') return aborted;
    failure = end.failure;
    if (!end.fallback || !mayFallBack(failure.kind)) break;
  }
  return { kind: 'failed', error: callerError(failure ?? new ProviderError('configuration')), stage: 'execute' };
}

/** What another provider may not have: it was busy, away or late. What is wrong with the request is wrong everywhere. */
function mayFallBack(kind: ProviderErrorKind): boolean {
  switch (kind) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return true;
    case 'invalid_request':
    case 'configuration':
    case 'malformed':
    case 'aborted':
      return false;
  }
}

/** No model is called whose answer would find no thread for its guards. */
function holdBack(run: PipelineRun, workers: GuardWorkers): RunStop | null {
  if (run.admitted || !workers.isFull) return null;
  return run.route.egress.some(({ guard }) => usesWorkers(guard)) ? noThread('execute') : null;
}
