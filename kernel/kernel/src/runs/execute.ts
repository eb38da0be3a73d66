import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '@svc/contracts';
import { usesWorkers } from '../calls/guard-call.ts';
import { mayFallBack, NotCalled } from '../calls/provider-failure.ts';
import { endpointOf, endpointsFor } from '../endpoints/order.ts';
import { callRepeatedly } from '../endpoints/retries.ts';
import { TriedEndpoints } from '../endpoints/tried-endpoints.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';
import { CallRecord } from './call-record.ts';
import { askEndpointHooks } from './endpoint-hooks.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { nodesOf, type RouteEndpoint } from './route.ts';
import { noThread, type RunStop, stopOnAbort } from './run-stop.ts';
import type { UpstreamEnv } from './stage.ts';

/**
 * The execute step. Calls the first endpoint that all guards with an `endpoint` hook allow. If the call fails and another endpoint may succeed, calls
 * the next one. If the guards refuse all endpoints, the run stops. `first`: index in {@link nodesOf} of the first node to ask about the endpoint `at`.
 * `at` null: the first endpoint.
 */
export async function execute(
  run: PipelineRun,
  first: number,
  approved: (node: string) => boolean,
  call: Attempt,
  env: UpstreamEnv,
  at: Endpoint | null = null,
): Promise<RunStop | null> {
  const resumed = { first, approved };
  const tried = new TriedEndpoints<RunStop>();
  const hasHooks = nodesOf(run.route).some(({ guard }) => guard.endpoint);
  const endpoints = [...endpointsFor(run)];
  const chosen = endpoints.find((each) => isDeepStrictEqual(endpointOf(each), at)) ?? endpoints[0];
  for (let place = 0; place < endpoints.length; place += 1) {
    const endpoint = endpoints[place] as RouteEndpoint;
    // An approval is for one endpoint. It remains valid if that endpoint is tried again.
    const skipped = hasHooks ? await askEndpointHooks(run, endpoint, endpoint === chosen ? resumed : NOT_APPROVED, env) : null;
    const refused = skipped ?? holdBack(run, tried, env.workers);
    if (tried.mayTryNext(refused)) continue;
    if (refused !== null) return refused;
    // The start of the run is on disk before anything is sent to a model.
    await run.startWrite;
    const end = await callAt(place, endpoints, run, call, env);
    // A refusal of a guard counts even if the caller disconnects at the same moment.
    if (end.kind === 'stopped') return end.stop;
    const aborted = stopOnAbort(run);
    if (aborted !== null || end.kind === 'answered') return aborted;
    tried.failed(end.failure);
    if (!end.fallback || !mayFallBack(end.failure)) break;
  }
  return tried.stop();
}

const NOT_APPROVED = { first: 0, approved: () => false };

/** Calls the endpoint at an index. Endpoints with an open circuit come after the others. An endpoint of a disabled provider is never called. */
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
  const cause = env.policy.providerStop(endpoint.provider);
  if (cause === null && (place === endpoints.length - 1 || !env.circuits.isOpen(endpoint)))
    return callRepeatedly(run, endpoint, call, env.circuits);
  if (cause === null && endpoints.indexOf(endpoint) === endpoints.lastIndexOf(endpoint)) endpoints.push(endpoint);
  new CallRecord(run, endpoint, false, env).skipped();
  return { kind: 'failed', failure: new NotCalled('unavailable', { cost: 'none', cause }), fallback: true };
}

/** Refuses a run's first model call while no thread is free for the guards that check the answer. */
function holdBack(run: PipelineRun, { hasFailed }: TriedEndpoints<RunStop>, workers: GuardWorkers): RunStop | null {
  if (hasFailed || run.admitted || !workers.isFullFor(run.principal_id)) return null;
  return run.route.egress.some(({ guard }) => usesWorkers(guard)) ? noThread('execute') : null;
}
