import type { RunRow } from '@svc/contracts';
import { storedAs } from '@svc/kernel';
import { runsWithContent } from './each-run.ts';
import type { GatewayEnv } from './gateway-env.ts';

/** How many runs' keys were rewrapped, and how many are still under another content key. */
export interface Rewrapped {
  readonly runs: number;
  readonly left: number;
}

/**
 * Rewraps the keys of all runs with the newest content key, so that older ones can be destroyed. Runs that are in progress or change meanwhile are
 * left for the next time.
 */
export async function rewrap(env: GatewayEnv): Promise<Rewrapped> {
  const count = { runs: 0, left: 0 };
  for await (const run_id of runsWithContent(env.store)) {
    if ((await env.content.rewrapped(run_id)) === null) continue;
    if (await isPut(run_id, env)) count.runs += 1;
    else count.left += 1;
  }
  return count;
}

/** Commits the key with the run's row, so that no decision or erasure can come in between. */
async function isPut(run_id: string, { store, writer, content }: GatewayEnv): Promise<boolean> {
  const row = await store.run(run_id);
  if (row === null || isWorkedOn(row)) return false;
  // The key is read after the row. If the run was erased before, the key is gone; if it is erased later, the row has changed and the commit fails.
  const key = await content.rewrapped(run_id);
  if (key === null) return true;
  const run = { ...row, version: row.version + 1 };
  const change = { run, expect: storedAs(row).row, put_content: [key], drop_content: [], settlements: [] };
  return (await writer.commit(change, null)).result === 'committed';
}

function isWorkedOn({ status }: RunRow): boolean {
  return status === 'pending' || status === 'running';
}
