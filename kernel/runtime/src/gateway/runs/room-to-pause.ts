import { cloneJson, errorName } from '@svc/contracts';
import { FROM_THE_START, type LiveRun, type RunStop } from '@svc/kernel';
import { type PauseClaim, tooManyPaused } from '@svc/kernel/admission';
import { endpointsFor, TriedEndpoints } from '@svc/kernel/endpoints';
import { askEndpointHooks, askOperator, runStage } from '@svc/kernel/guards';
import { nodesOf, type PipelineNode, type RuntimeRoute } from '@svc/kernel/routes';
import { repeatsDecided } from '../../pauses/repeated-request.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { uniqueKeyOf } from './idempotency.ts';
import { newRun, type RunRequest } from './run-request.ts';

/**
 * Refuses a request that would pause if the maximum number of runs is already paused, or may be. The request is refused before a run is created:
 * near the maximum, the guards check a copy of it once in advance. If a later pause finds no room, the run ends with the same error. That can happen
 * in egress, with a guard that reserves, or with a guard that judges the same request differently the second time.
 * @param run_id id of the future run, which decides its endpoint
 * @returns the claim that counts the run until it pauses or its model is called; null: it does not pause before that, or repeats another request
 * @throws {SvcError} SVC-RATE-001
 */
export async function claimPause(
  run_id: string,
  requested: RunRequest,
  gone: AbortSignal | undefined,
  env: GatewayEnv,
): Promise<PauseClaim | null> {
  if (requested.embedding !== undefined || !mayPause(requested.route, env)) return null;
  const claim = env.limits.claim(requested.principal_id);
  try {
    // If the store cannot be read, the pause itself fails later.
    if (!(await env.limits.mayBeFull(claim).catch(unknown(false, env)))) return claim;
    const pauses =
      !(await isKnown(requested, env)) &&
      (await wouldPause(run_id, { ...requested, route: screened(requested.route) }, gone, env));
    if (pauses && (await env.limits.reserve(claim))) return claim;
    claim.end();
    if (pauses) throw tooManyPaused();
    return null;
  } catch (error) {
    claim.end();
    throw error;
  }
}

/** Whether there is already a run for the same request. Also true if the store cannot be read. */
async function isKnown({ idempotency_key, principal_id }: RunRequest, env: GatewayEnv): Promise<boolean> {
  if (idempotency_key === null) return false;
  const run_id = env.store.runOfKey(uniqueKeyOf(principal_id, idempotency_key));
  return run_id.then((found) => found !== null).catch(unknown(true, env));
}

/** Handles an error of the store: logs it, and returns `otherwise`. */
function unknown(otherwise: boolean, { logger }: GatewayEnv): (error: unknown) => boolean {
  return (error) => {
    logger.warn({ event: 'room_to_pause_unknown', reason: errorName(error) });
    return otherwise;
  };
}

/** The route without guards that reserve, because reserving is a side effect. */
function screened(route: RuntimeRoute): RuntimeRoute {
  return { ...route, ingress: route.ingress.filter(isReadOnly), egress: route.egress.filter(isReadOnly) };
}

function isReadOnly({ mode, guard }: PipelineNode): boolean {
  return mode === 'enforce' && guard.reservations === undefined;
}

/** Whether a run may pause before its model is called. */
function mayPause(route: RuntimeRoute, { policy }: GatewayEnv): boolean {
  return (
    route.unscannable === 'require_approval' ||
    policy.of('route', route.name) === 'approval_required' ||
    route.ingress.some(asksApproval) ||
    nodesOf(route).some((node) => node.guard.endpoint !== undefined && asksApproval(node))
  );
}

function asksApproval({ mode, guard, on_error }: PipelineNode): boolean {
  return mode === 'enforce' && (on_error === 'require_approval' || guard.verdicts.includes('require_approval'));
}

/** Whether a request would pause. Records nothing, and does not use up an earlier decision. */
async function wouldPause(
  run_id: string,
  requested: RunRequest,
  gone: AbortSignal | undefined,
  env: GatewayEnv,
): Promise<boolean> {
  const bytes = env.bytes.reserve();
  const trial = newRun(run_id, { ...requested, request: cloneJson(requested.request), bytes }, 'running', env);
  const leave = (): void => trial.abort.abort('disconnected');
  gone?.addEventListener('abort', leave, { once: true });
  try {
    const stop = await stopBeforeCall(trial, env);
    return stop?.kind === 'paused' && !(await repeatsDecided(trial, stop, env));
  } finally {
    gone?.removeEventListener('abort', leave);
    trial.bytes.release();
    bytes.release();
  }
}

async function stopBeforeCall(trial: LiveRun, env: GatewayEnv): Promise<RunStop | null> {
  const stop = (await runStage(trial, 'ingress', null, () => false, env)) ?? askOperator(trial, FROM_THE_START, env);
  if (stop !== null) return stop;
  const tried = new TriedEndpoints<RunStop>();
  for (const endpoint of endpointsFor(trial)) {
    const refused = await askEndpointHooks(trial, endpoint, { first: 0, approved: () => false }, env);
    if (!tried.mayTryNext(refused)) return refused;
  }
  return tried.stop();
}
