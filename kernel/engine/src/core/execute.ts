import { ProviderError, type ProviderErrorKind } from '@svc/contracts';
import { callerError } from '../calls/provider-failure.ts';
import type { Attempt } from './attempt.ts';
import { askEndpointHooks } from './endpoint-hooks.ts';
import { type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import type { PipelineEnv } from './stage.ts';
import { holdBack } from './turned-away.ts';

/**
 * The execute step: calls the route's provider, and its fallbacks after a failure that another may not have. Each is first shown to
 * the guards that want to know: who refuses the provider stops the run, a refused fallback is passed over.
 * `from` is the first of the route's nodes to ask of the provider, see {@link nodesOf}.
 */
export async function execute(
  run: PipelineRun,
  from: number,
  approved: (node: string) => boolean,
  call: Attempt,
  env: PipelineEnv,
): Promise<Halt | null> {
  let attempt = 0;
  let failure: ProviderError | null = null;
  for (const endpoint of run.route.endpoints) {
    // An approval was given for the provider; nobody was asked about a fallback.
    const refused: Halt | null =
      failure === null
        ? ((await askEndpointHooks(run, endpoint, from, approved, env)) ?? holdBack(run, env.workers))
        : await askEndpointHooks(run, endpoint, 0, () => false, env);
    if (refused !== null && (failure === null || refused.kind === 'disconnected' || refused.kind === 'interrupted'))
      return refused;
    if (refused !== null) continue;
    attempt += 1;
    const end = await call(endpoint, attempt);
    // What a guard refused stays refused, also where the caller leaves at the same moment.
    if (end.kind === 'halted') return end.halt;
    const aborted = haltOnAbort(run);
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
