import { tooManyPaused } from '../admission/pause-limits.ts';
import { FROM_THE_START } from '../core/advance.ts';
import type { PipelineNode, RuntimeRoute } from '../core/route.ts';
import type { RunsEnv } from '../core/runs-env.ts';
import { askOperator, runStage } from '../core/stage.ts';
import { repeatsDecided } from '../repeats/repeated-request.ts';
import { type AskedRun, newRun } from './asked-run.ts';

/**
 * Refuses a request that would pause where too many runs are paused, before a run is made of it. Only there, the guards of the request are
 * asked once in advance, about a copy. What still finds no room later ends as a run with the same error: a request with an idempotency key,
 * which is bound to its run; a pause by retrieved text or by the answer; and requests under way when the last place was taken.
 * @throws {SvcError} SVC-RATE-001
 */
export async function assertRoomToPause(asked: AskedRun, gone: AbortSignal | undefined, env: RunsEnv): Promise<void> {
  if (asked.idempotency_key !== null || asked.embedding !== undefined) return;
  if (!mayPause(asked.route, env)) return;
  // Where the store cannot say, the pause itself fails later.
  if (!(await env.pauses.mayBeFull(asked.principal_id).catch(() => false))) return;
  if (!(await wouldPause({ ...asked, route: screened(asked.route) }, gone, env))) return;
  if (!(await env.pauses.hasRoom(asked.principal_id))) throw tooManyPaused();
}

/** Without the guards that would do more than look: those that reserve, and those that send the question to another model. */
function screened(route: RuntimeRoute): RuntimeRoute {
  return { ...route, ingress: route.ingress.filter(looksOnly) };
}

function looksOnly({ mode, guard, namespaces }: PipelineNode): boolean {
  return mode === 'enforce' && guard.reservations === undefined && namespaces.length === 0;
}

function mayPause({ name, ingress, unscannable }: RuntimeRoute, { operational }: RunsEnv): boolean {
  return ingress.some(looksOnly) || unscannable === 'require_approval' || operational.of('route', name) === 'approval_required';
}

/** Nothing is recorded, and no earlier decision is used up. */
async function wouldPause(asked: AskedRun, gone: AbortSignal | undefined, env: RunsEnv): Promise<boolean> {
  const bytes = env.bytes.reserve();
  const trial = newRun({ ...asked, request: structuredClone(asked.request), bytes }, 'running', env);
  const leave = (): void => trial.abort.abort('disconnected');
  gone?.addEventListener('abort', leave, { once: true });
  try {
    const stop = (await runStage(trial, 'ingress', null, () => false, env)) ?? askOperator(trial, FROM_THE_START, env);
    return stop?.kind === 'paused' && !(await repeatsDecided(trial, stop, env));
  } finally {
    gone?.removeEventListener('abort', leave);
    trial.bytes.release();
    bytes.release();
  }
}
