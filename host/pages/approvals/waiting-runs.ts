import { ApiError } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import type { Session } from '../shared/session.ts';

export interface WaitingRuns {
  /** Newest first. */
  readonly runs: readonly StoredRun[];
  /** There are older ones than these. */
  readonly more: boolean;
}

/** Reads the newest paused runs that a key may see, `limit` of them at most in one list. A key for some routes only must name each of them. */
export async function waitingRuns({ api, routes }: Session, limit: number): Promise<WaitingRuns> {
  try {
    return await api.pausedRuns(limit);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SVC-AUTH-002') || routes.length === 0) throw error;
    return merged(await Promise.all(routes.map(({ name }) => api.pausedRuns(limit, name))));
  }
}

/** One list of several, newest first. */
export function merged(lists: readonly WaitingRuns[]): WaitingRuns {
  const runs = lists.flatMap((list) => list.runs).sort((a, b) => order(b) - order(a));
  return { runs, more: lists.some(({ more }) => more) };
}

/** Runs that one decision decides, in the order of their newest; each newest first. */
export function groupsOf(runs: readonly StoredRun[]): readonly (readonly StoredRun[])[] {
  return [...Map.groupBy(runs, ({ run_id, group }) => group ?? run_id).values()];
}

function order({ created_at }: StoredRun): number {
  return Date.parse(created_at);
}
