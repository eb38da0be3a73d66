import { isSvcError, type RunRow } from '../contracts/index.ts';
import { goneRoute } from '../pipeline/index.ts';
import { denyExpired, openPaused, type Track } from './resume.ts';
import type { RunsEnv } from './runs-env.ts';

const PAGE = 500;
const MOST_CONTENT = 1000;

export interface ExpiryScope {
  /** By the store's clock: one that runs ahead on one machine must not end what all of them keep. */
  readonly now: number;
  /** Whether this process takes no new work: what is left is for others. */
  readonly isOver: () => boolean;
}

/** Denies pauses whose time is over and deletes content that is not kept any longer. */
export async function expire({ now, isOver }: ExpiryScope, env: RunsEnv, track: Track): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await env.store.runs({ status: ['paused'], limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const row of page.rows) {
      if (isOver()) return;
      if (row.expires_at === null || Date.parse(row.expires_at) > now) continue;
      await denyOverdue(row, env, track);
    }
    cursor = page.next;
  }
  while (!isOver() && (await env.store.expireContent(now, MOST_CONTENT)) === MOST_CONTENT);
}

async function denyOverdue(row: RunRow, env: RunsEnv, track: Track): Promise<void> {
  try {
    const { run, payload } = await openPaused(row, (name) => env.routes.get(name) ?? goneRoute(name), env);
    await denyExpired(run, payload, env, track);
  } catch (error) {
    // A decision that came first is no trouble, nor is the end; and whatever else is wrong with one run, the others are still looked at.
    if (isSvcError(error) && (error.code === 'SVC-RUN-002' || error.code === 'SVC-BUSY-001')) return;
    env.logger.warn({ event: 'expiry_failed', run_id: row.run_id, reason: error instanceof Error ? error.name : 'unknown' });
  }
}
