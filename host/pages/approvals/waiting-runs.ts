import { ApiError } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import type { Session } from '../shared/session.ts';

/** Runs that one decision applies to, oldest first. */
export type Group = readonly [StoredRun, ...StoredRun[]];

/** All paused runs that a key may see. A key limited to routes must query each route. */
export async function waitingRuns({ api, routes }: Session): Promise<readonly StoredRun[]> {
  try {
    return await api.pausedRuns();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SVC-AUTH-002') || routes.length === 0) throw error;
    return (await Promise.all(routes.map(({ name }) => api.pausedRuns(name)))).flat();
  }
}

/** Groups runs that one decision applies to, each at the place of its oldest run, oldest first. */
export function groupsOf(runs: Iterable<StoredRun>): readonly Group[] {
  const sorted = [...runs].sort(oldestFirst);
  return [...Map.groupBy(sorted, ({ run_id, group }) => group ?? run_id).values()] as unknown as readonly Group[];
}

/** By creation time, then by id for runs created in the same millisecond. */
export function oldestFirst(a: StoredRun, b: StoredRun): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.run_id < b.run_id ? -1 : 1;
}
