import { errorName, isSvcError, type RunRow } from '@svc/contracts';
import { finish, LostRace, storedRun, unreadableRun } from '@svc/kernel';
import { CHAT, type Protocols } from '@svc/protocols';
import { PAUSE_CONTENT, type PausedPayload } from '../../content/paused-payload.ts';
import { decodeJson } from '../../content/run-content.ts';
import type { BackgroundQueue } from './background.ts';
import { runsIn } from './each-run.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { routeOrTombstone } from './tombstone.ts';

export interface RecoveryScope {
  /** Whether this process works on a run, or has it in its queue. */
  readonly isLocal: (run_id: string) => boolean;
  /** Whether another instance is dead. */
  readonly isDead: (owner: string) => Promise<boolean>;
  /** Whether this process is shutting down. If so, the rest is left to other processes. */
  readonly isOver: () => boolean;
}

/**
 * Recovers orphaned runs: those of dead processes, and those that this process left behind in an outage of the store. `pending` runs are queued
 * again; `running` ones end as `error` with evidence. Runs of other living instances are left alone.
 */
export async function recover(
  queue: BackgroundQueue,
  scope: RecoveryScope,
  env: GatewayEnv,
): Promise<{ requeued: number; interrupted: number }> {
  const counts = { requeued: 0, interrupted: 0 };
  for (const row of await orphans(scope, env)) {
    if (scope.isOver()) break;
    try {
      if (row.status === 'pending' && (await adopted(row, queue, env))) counts.requeued += 1;
      else if (await interrupt(row, env)) counts.interrupted += 1;
    } catch (error) {
      // After a failure with one run, the others are still recovered. The failed one is retried later.
      env.logger.warn({ event: 'recovery_failed', run_id: row.run_id, reason: errorName(error) });
    }
  }
  return counts;
}

async function orphans({ isLocal, isDead }: RecoveryScope, env: GatewayEnv): Promise<RunRow[]> {
  const found: RunRow[] = [];
  const owners = new Map<string, boolean>();
  const isLeft = async ({ run_id, owner }: RunRow): Promise<boolean> => {
    // A run of another instance may be in this queue by now.
    if (isLocal(run_id)) return false;
    if (owner === env.instance) return true;
    const gone = owners.get(owner) ?? (await isDead(owner));
    owners.set(owner, gone);
    return gone;
  };
  for await (const row of runsIn(env.store, ['pending', 'running'])) if (await isLeft(row)) found.push(row);
  // Oldest first.
  return found.reverse();
}

async function adopted(row: RunRow, queue: BackgroundQueue, env: GatewayEnv): Promise<boolean> {
  try {
    await queue.adopt(row);
    return true;
  } catch (error) {
    if (isSvcError(error) && error.code === 'SVC-RUN-005') return false;
    if (!isSvcError(error) || error.code !== 'SVC-RUN-003') throw error;
    env.logger.warn({ event: 'pending_run_without_route', run_id: row.run_id, route: row.route });
    return false;
  }
}

/** A run ends even if its content cannot be read. */
function whereUnreadable(error: unknown): null {
  if (isSvcError(error) && error.code === 'SVC-RUN-005') return null;
  throw error;
}

/** The guards' states, which they need to settle. */
function guardStateOf({ protocol: id = CHAT.id, request, states, spend }: PausedPayload, protocols: Protocols) {
  const protocol = protocols.get(id) ?? CHAT;
  return { protocol, request, states: new Map(Object.entries(states)), spend: [...spend] };
}

async function interrupt(row: RunRow, env: GatewayEnv): Promise<boolean> {
  const { status } = row;
  const paused = await env.content.read(row.run_id, PAUSE_CONTENT).catch(whereUnreadable);
  const payload = paused === null ? null : decodeJson<PausedPayload>(paused.bytes);
  // The dead process may have paid for a call that was not recorded. This is impossible before the execute step, and after the answer arrived.
  const isUnknown = payload?.stage === 'egress' ? payload.unbilled : status === 'running';
  const parts = {
    route: routeOrTombstone(row.route, env),
    bytes: env.bytes.reserve(),
    cost: isUnknown ? 'partial' : 'complete',
  } as const;
  const run =
    payload === null
      ? unreadableRun(row, { ...parts, protocol: CHAT })
      : storedRun(row, { ...parts, ...guardStateOf(payload, env.protocols) });
  if (status === 'pending') run.move('running', 'ingress');
  run.recordAbort({ kind: 'interrupted' });
  try {
    await finish(run, { status: 'error', stage: 'execute', stop: null, error: null }, env);
    return true;
  } catch (error) {
    if (error instanceof LostRace) return false;
    throw error;
  }
}
