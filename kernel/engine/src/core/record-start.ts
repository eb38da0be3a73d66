import { saveRunning } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunsEnv } from './runs-env.ts';

/**
 * Begins to write the start of a run, beside the work. Who sends something on its behalf waits for `startWrite`, so that a crash leaves a
 * row of every run that reached a model. `written` hears of it first.
 */
export function recordStart(run: LiveRun, written: () => void, env: RunsEnv): void {
  run.startWrite = saveRunning(run, [], env);
  // Told to whoever waits for it; until then nobody may.
  run.startWrite.then(written, () => undefined);
}
