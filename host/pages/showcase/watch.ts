import type { Api } from '../shared/api.ts';
import { ApiError } from '../shared/api-error.ts';
import type { Run } from '../shared/api-types.ts';

const POLL_MS = 2000;

/**
 * Polls a run until it has ended.
 * @param hurry settles when it should be polled at once
 */
export async function watch(api: Api, run: Run, hurry: Promise<void>, signal: AbortSignal): Promise<Run> {
  let last = run;
  let decided = false;
  void hurry.then(() => {
    decided = true;
  });
  while (!hasEnded(last.status)) {
    const pause = new Promise((resolve) => setTimeout(resolve, POLL_MS));
    await (decided ? pause : Promise.race([pause, hurry]));
    signal.throwIfAborted();
    last = await api.run(run.run_id).catch(lastIfUnreachable(last));
    signal.throwIfAborted();
  }
  return last;
}

export function hasEnded(status: Run['status']): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'paused';
}

/** The gateway may be restarting, so polling goes on. Paused runs survive a restart. */
function lastIfUnreachable(last: Run): (error: unknown) => Run {
  return (error) => {
    if (error instanceof ApiError && error.status === 0) return last;
    throw error;
  };
}
