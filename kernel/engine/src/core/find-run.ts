import { type RunRow, SvcError } from '@svc/contracts';
import type { RunsEnv } from './runs-env.ts';

/** Ids are UUIDs; anything else is not looked up, so that no store gets a key of unlimited length. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Null where no run has this id. */
export async function storedRow(run_id: string, env: RunsEnv): Promise<RunRow | null> {
  return RUN_ID.test(run_id) ? env.store.run(run_id) : null;
}

/** @throws {SvcError} SVC-RUN-001 */
export async function findRun(run_id: string, env: RunsEnv): Promise<RunRow> {
  const row = await storedRow(run_id, env);
  if (row === null) throw new SvcError('SVC-RUN-001', 'no run has this id');
  return row;
}
