import type { AnswerLine, AnswerSink } from '../streaming/index.ts';
import { saveRunning } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunsEnv } from './runs-env.ts';

/** The line on which a run's answer leaves as it comes. Its `running` row is on disk before the first frame. */
export function openLine(run: LiveRun, sink: AnswerSink, env: RunsEnv): AnswerLine {
  return {
    sink,
    stored: () => {
      run.storing ??= saveRunning(run, [], env);
      return run.storing;
    },
    include_usage: run.request.stream_options?.include_usage === true,
    keep: run.keepAnswer || env.record_content,
    tail: null,
  };
}
