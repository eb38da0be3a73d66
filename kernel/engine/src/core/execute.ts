import { ProviderError, type SvcError } from '@svc/contracts';
import { usesWorkers } from '../calls/guard-call.ts';
import { callerError, mayFallBack } from '../calls/provider-failure.ts';
import { endpointsFor } from '../endpoints/order.ts';
import { callRepeatedly } from '../endpoints/retries.ts';
import { OperatorStop } from '../operational-states/operator-stop.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';
import { CallRecord } from './call-record.ts';
import { askEndpointHooks } from './endpoint-hooks.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { nodesOf, type RouteEndpoint } from './route.ts';
import { isCancelled, noThread, type RunStop, stopOnAbort } from './run-stop.ts';
import type { UpstreamEnv } from './stage.ts';

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
  env: UpstreamEnv,
): Promise<RunStop | null> {
  const asked = { first, approved };
  let failure: ProviderError | null = null;
  const hasHooks = nodesOf(run.route).some(({ guard }) => guard.endpoint);
  const endpoints = [...endpointsFor(run)];
  for (let place = 0; place < endpoints.length; place += 1) {
    const endpoint = endpoints[place] as RouteEndpoint;
    // An approval is for the provider, and still counts when its turn comes again; no approver was asked about a fallback.
    const from = endpoint === endpoints[0] ? asked : NOBODY_ASKED;
    const unfit = hasHooks ? await askEndpointHooks(run, endpoint, from, env) : null;
    const refused = unfit ?? holdBack(run, failure, env.workers);
    if (refused !== null && (failure === null || isCancelled(refused))) return refused;
    if (refused !== null) continue;
    // The start of the run is on disk before anything is sent to a model.
    await run.startWrite;
    const end = await callAt(place, endpoints, run, call, env);
    // A refusal of a guard counts even if the caller disconnects at the same moment.
    if (end.kind === 'stopped') return end.stop;
    const aborted = stopOnAbort(run);
    if (aborted !== null || end.kind === 'answered') return aborted;
    failure = end.failure;
    if (!end.fallback || !mayFallBack(failure)) break;
  }
  return { kind: 'failed', error: errorOf(failure), stage: 'execute' };
}

const NOBODY_ASKED = { first: 0, approved: () => false };

function errorOf(failure: ProviderError | null): SvcError {
  if (failure?.cause instanceof OperatorStop) return failure.cause.error;
  return callerError(failure ?? new ProviderError('configuration'));
}

/** Calls the endpoint at a place. One whose last calls all failed is tried after the others instead, one of a disabled provider never. */
function callAt(
  place: number,
  endpoints: RouteEndpoint[],
  run: PipelineRun,
  call: Attempt,
  env: UpstreamEnv,
): AttemptEnd | Promise<AttemptEnd> {
  const endpoint = endpoints[place] as RouteEndpoint;
  const stop = stopOnAbort(run);
  if (stop !== null) return { kind: 'stopped', stop };
  const cause = env.operational.providerStop(endpoint.provider);
  if (cause === null && (place === endpoints.length - 1 || !env.circuits.isOpen(endpoint)))
    return callRepeatedly(run, endpoint, call, env.circuits);
  if (cause === null && endpoints.indexOf(endpoint) === endpoints.lastIndexOf(endpoint)) endpoints.push(endpoint);
  new CallRecord(run, endpoint, false, env).skipped();
  return { kind: 'failed', failure: new ProviderError('unavailable', { cost: 'none', cause }), fallback: true };
}

/** No run calls its first model while there is no thread for the guards of the answer. `failure`: of the endpoint before. */
function holdBack(run: PipelineRun, failure: ProviderError | null, workers: GuardWorkers): RunStop | null {
  if (failure !== null || run.admitted || !workers.isFullFor(run.principal_id)) return null;
  return run.route.egress.some(({ guard }) => usesWorkers(guard)) ? noThread('execute') : null;
}
