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
 * The execute step: calls the route's provider, then its fallbacks after a failure that another provider may not have. The guards with an
 * `endpoint` hook are asked about each first: a refused provider stops the run, a refused fallback is skipped.
 * `first`: index of the first of the route's nodes to ask about the provider, see {@link nodesOf}.
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
    // An approval is for the provider; no approver was asked about a fallback.
    const refused: RunStop | null =
      failure === null
        ? ((await askEndpointHooks(run, endpoint, first, approved, env)) ?? holdBack(run, env.workers))
        : await askEndpointHooks(run, endpoint, 0, () => false, env);
    if (refused !== null && (failure === null || refused.kind === 'disconnected' || refused.kind === 'interrupted'))
      return refused;
    if (refused !== null) continue;
    attempt += 1;
    const end = await call(endpoint, attempt);
    // A refusal of a guard counts even if the caller disconnects at the same moment.
    if (end.kind === 'stopped') return end.stop;
    const aborted = stopOnAbort(run);
    if (aborted !== null || end.kind === 'answered') return aborted;
    failure = end.failure;
    if (!end.fallback || !mayFallBack(failure.kind)) break;
  }
  return { kind: 'failed', error: callerError(failure ?? new ProviderError('configuration')), stage: 'execute' };
}

/** Failures that another provider may not have: busy, unavailable, too late. A request that is wrong is wrong for every provider. */
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

/** No model is called while there is no thread for the guards of its answer. */
function holdBack(run: PipelineRun, workers: GuardWorkers): RunStop | null {
  if (run.admitted || !workers.isFull) return null;
  return run.route.egress.some(({ guard }) => usesWorkers(guard)) ? noThread('execute') : null;
}
