import { type RunRow, SvcError } from '@svc/contracts';
import type { RunsEnv } from './runs-env.ts';

/** Ids are UUIDs; anything else is not looked up, so that no store gets a key of unlimited length. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws {SvcError} SVC-RUN-001 */
export async function findRun(run_id: string, env: RunsEnv): Promise<RunRow> {
  const row = RUN_ID.test(run_id) ? await env.store.run(run_id) : null;
  if (row === null) throw new SvcError('SVC-RUN-001', 'no run has this id');
  return row;
}
