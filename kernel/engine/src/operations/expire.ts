import { errorName, isSvcError, type RunRow } from '@svc/contracts';
import { madeAt } from '../content/vault.ts';
import { denyExpired, type Track } from '../core/resume.ts';
import type { RunsEnv } from '../core/runs-env.ts';
import { hasEnded } from '../core/states.ts';
import { runsIn, runsWithContent } from './each-run.ts';
import { openWaiting } from './open-waiting.ts';

const MAX_CONTENT = 1000;

export interface ExpiryScope {
  /** By the store's clock: one that runs ahead on one machine must not end what all of them keep. */
  readonly now: number;
  /** Whether this process takes no new work: what is left is for others. */
  readonly isOver: () => boolean;
}

/** Denies pauses whose time is over and deletes content that is not kept any longer. */
export async function expire({ now, isOver }: ExpiryScope, env: RunsEnv, track: Track): Promise<void> {
  for await (const row of runsIn(env.store, ['paused'])) {
    if (isOver()) return;
    if (isOverdue(row, now, env)) await denyOverdue(row, env, track);
  }
  while (!isOver() && (await env.store.expireContent(now, MAX_CONTENT)) === MAX_CONTENT);
  if (env.retention_ms !== null) await dropOld(now - env.retention_ms, isOver, env);
}

/** Its own time, or that of all content, which may have been made shorter since. */
function isOverdue({ expires_at, created_at }: RunRow, now: number, { retention_ms }: RunsEnv): boolean {
  if (retention_ms !== null && Date.parse(created_at) + retention_ms <= now) return true;
  return expires_at !== null && Date.parse(expires_at) <= now;
}

/** Content of ended runs that were made before a moment, oldest first, whatever was said about it when it was stored. */
async function dropOld(before: number, isOver: () => boolean, env: RunsEnv): Promise<void> {
  for await (const run_id of runsWithContent(env.store)) {
    // Ids begin with the time.
    if (madeAt(run_id) > before || isOver()) return;
    const row = await env.store.run(run_id);
    if (row === null || hasEnded(row.status)) await env.store.eraseContent(run_id);
  }
}

async function denyOverdue(row: RunRow, env: RunsEnv, track: Track): Promise<void> {
  try {
    const { run, pause } = await openWaiting(row, env);
    await denyExpired(run, pause, env, track);
  } catch (error) {
    // A decision that came first is no trouble, nor is the end; and whatever else is wrong with one run, the others are still looked at.
    if (isSvcError(error) && (error.code === 'SVC-RUN-002' || error.code === 'SVC-BUSY-001')) return;
    env.logger.warn({ event: 'expiry_failed', run_id: row.run_id, reason: errorName(error) });
  }
}
