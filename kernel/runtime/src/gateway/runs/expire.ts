import { errorName, isSvcError, type RunRow } from '@svc/contracts';
import { denyExpired, hasEnded, type Track } from '@svc/kernel';
import { madeAt } from '../../content/vault.ts';
import { runsIn, runsWithContent } from './each-run.ts';
import { escalate } from './escalate.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { openWaiting } from './open-waiting.ts';

const MAX_CONTENT = 1000;

export interface ExpiryScope {
  /** The time by the store's clock, so that one machine with a wrong clock does not end what all machines share. */
  readonly now: number;
  /** Whether this process is shutting down. If so, the rest is left to other processes. */
  readonly isOver: () => boolean;
}

/** Denies overdue pauses, records escalations and deletes expired content. */
export async function expire({ now, isOver }: ExpiryScope, env: GatewayEnv, track: Track): Promise<void> {
  for await (const row of runsIn(env.store, ['paused'])) {
    if (isOver()) return;
    if (expiryOf(row, env) <= now) await denyOverdue(row, env, track);
    else await escalate(row, now, env);
  }
  while (!isOver() && (await env.store.expireContent(now, MAX_CONTENT)) === MAX_CONTENT);
  if (env.retention_ms !== null) await dropOld(now - env.retention_ms, isOver, env);
}

/**
 * When a paused run is denied, in milliseconds since the epoch: at its own expiry, or at the end of the retention period if that is earlier. The
 * period may have been shortened since.
 */
export function expiryOf({ expires_at, created_at }: RunRow, { retention_ms }: Pick<GatewayEnv, 'retention_ms'>): number {
  const own = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  return retention_ms === null ? own : Math.min(own, Date.parse(created_at) + retention_ms);
}

/** Deletes the content of ended runs that were created before a time, oldest first, whatever expiry the content had when it was stored. */
async function dropOld(before: number, isOver: () => boolean, env: GatewayEnv): Promise<void> {
  for await (const run_id of runsWithContent(env.store)) {
    // Ids of runs begin with the time.
    if (madeAt(run_id) > before || isOver()) return;
    const row = await env.store.run(run_id);
    if (row === null || hasEnded(row.status)) await env.store.eraseContent(run_id);
  }
}

async function denyOverdue(row: RunRow, env: GatewayEnv, track: Track): Promise<void> {
  try {
    const { run, pause } = await openWaiting(row, env);
    await denyExpired(run, pause, env, track);
  } catch (error) {
    // It is not a failure if someone else decided first or the process stops. After a failure with one run, the others are still processed.
    if (isSvcError(error) && (error.code === 'SVC-RUN-002' || error.code === 'SVC-BUSY-002')) return;
    env.logger.warn({ event: 'expiry_failed', run_id: row.run_id, reason: errorName(error) });
  }
}
