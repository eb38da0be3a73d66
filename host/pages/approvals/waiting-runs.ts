import { ApiError } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import type { Session } from '../shared/session.ts';

export interface WaitingRuns {
  /** Newest first. */
  readonly runs: readonly StoredRun[];
  /** Older runs exist. */
  readonly more: boolean;
}

/** Fetches the newest paused runs that a key may see, at most `limit` per list. A key limited to routes must query each route. */
export async function waitingRuns({ api, routes }: Session, limit: number): Promise<WaitingRuns> {
  try {
    return await api.pausedRuns(limit);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SVC-AUTH-002') || routes.length === 0) throw error;
    return merged(await Promise.all(routes.map(({ name }) => api.pausedRuns(limit, name))));
  }
}

/** Merges several lists, newest first. */
export function merged(lists: readonly WaitingRuns[]): WaitingRuns {
  const runs = lists.flatMap((list) => list.runs).sort((a, b) => order(b) - order(a));
  return { runs, more: lists.some(({ more }) => more) };
}

/** Groups runs that one decision applies to. Groups and their runs are ordered newest first. */
export function groupsOf(runs: readonly StoredRun[]): readonly (readonly StoredRun[])[] {
  return [...Map.groupBy(runs, ({ run_id, group }) => group ?? run_id).values()];
}

function order({ created_at }: StoredRun): number {
  return Date.parse(created_at);
}
