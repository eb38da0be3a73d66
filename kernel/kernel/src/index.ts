export { failureReason } from './calls/failure-reason.ts';
export { OperatorStop } from './calls/operator-stop.ts';
export { advance, FROM_THE_START } from './runs/advance.ts';
export { CallRecord } from './runs/call-record.ts';
export { findRun } from './runs/find-run.ts';
export { finish } from './runs/finish.ts';
export { LedgerWriter } from './runs/ledger-writer.ts';
export { LiveRun, storedAs, storedRun, unreadableRun } from './runs/live-run.ts';
export type { RunOutcome, Stop } from './runs/outcome.ts';
export type { PipelineRun } from './runs/pipeline-run.ts';
export {
  type DecidedRun,
  deny,
  denyExpired,
  openPaused,
  resume,
  type Track,
} from './runs/resume.ts';
export { type RunStop, stopOnAbort } from './runs/run-stop.ts';
export type { RunsEnv } from './runs/runs-env.ts';
export { DuplicateRun, LostRace, recordStart, saveRunning } from './runs/save.ts';
export { hasEnded } from './runs/states.ts';
