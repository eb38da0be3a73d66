import type { Api } from '../shared/api.ts';
import { ApiError } from '../shared/api-error.ts';
import type { Run } from '../shared/api-types.ts';
import { hasEnded } from './result.ts';

const POLL_MS = 3000;

/**
 * Reads a run again and again until it has ended.
 * @param onChange called whenever it has moved on
 */
export async function watch(api: Api, run: Run, onChange: (run: Run) => void, signal: AbortSignal): Promise<Run> {
  let last = run;
  while (!hasEnded(last.status)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
    const now = await api.run(run.run_id).catch(lastIfUnreachable(last));
    signal.throwIfAborted();
    if (now.events.length !== last.events.length) onChange(now);
    last = now;
  }
  return last;
}

/** A gateway that restarts is asked again later; its pauses survive. */
function lastIfUnreachable(last: Run): (error: unknown) => Run {
  return (error) => {
    if (error instanceof ApiError && error.status === 0) return last;
    throw error;
  };
}
