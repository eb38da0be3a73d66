import type { RunRow } from '@svc/contracts';
import { storedAs } from '../core/live-run.ts';
import type { RunsEnv } from '../core/runs-env.ts';
import { runsWithContent } from './each-run.ts';

/** How many runs' keys were put under the newest content key, and how many are left under another. */
export interface Rewrapped {
  readonly runs: number;
  readonly left: number;
}

/**
 * Brings the keys of all runs under the newest content key, so that the older ones can be destroyed. Runs that are being worked on are
 * left for the next time, and so is whatever moves meanwhile.
 */
export async function rewrap(env: RunsEnv): Promise<Rewrapped> {
  const count = { runs: 0, left: 0 };
  for await (const run_id of runsWithContent(env.store)) {
    if ((await env.vault.rewrapped(run_id)) === null) continue;
    if (await isPut(run_id, env)) count.runs += 1;
    else count.left += 1;
  }
  return count;
}

/** With the run's row, so that no decision and no erasure comes between. */
async function isPut(run_id: string, { store, writer, vault }: RunsEnv): Promise<boolean> {
  const row = await store.run(run_id);
  if (row === null || isWorkedOn(row)) return false;
  // After its row: what was erased before that is not there any more, and what is erased later moves the row.
  const key = await vault.rewrapped(run_id);
  if (key === null) return true;
  const run = { ...row, version: row.version + 1 };
  const change = { run, expect: storedAs(row).row, put_content: [key], drop_content: [], settlements: [] };
  return (await writer.commit(change, null)).result === 'committed';
}

function isWorkedOn({ status }: RunRow): boolean {
  return status === 'pending' || status === 'running';
}
