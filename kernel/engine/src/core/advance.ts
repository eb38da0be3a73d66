import { type EventStage, errorName, isSvcError, type RunEvent, type Stage, SvcError } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import type { Attempt } from './attempt.ts';
import { execute } from './execute.ts';
import { finish, type RunEnd } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import { pause } from './pause.ts';
import { type RunStop, stopOnAbort } from './run-stop.ts';
import type { RunsEnv } from './runs-env.ts';
import { LostRace, paidFor } from './save.ts';
import { runStage } from './stage.ts';
import { callWhole } from './whole-call.ts';

/** Where in its route a run goes on. */
export interface Position {
  readonly stage: Stage | 'execute';
  /** The place in the stage of the node that is asked first, of a run that goes on after a pause; null: the stage begins. */
  readonly resumed_at: number | null;
  /** Whether an approver let the payload, as it stands now, pass this node. */
  readonly approved: (node: string) => boolean;
}

export const FROM_THE_START: Position = { stage: 'ingress', resumed_at: null, approved: () => false };

/**
 * Takes a running run from a position until it is settled: ended or paused, and on disk.
 * @throws {SvcError} SVC-STORE-001 where that could not be written
 */
export async function advance(run: LiveRun, from: Position, env: RunsEnv): Promise<RunOutcome> {
  run.timeline.begin(env.clock);
  try {
    const halt = await throughPipeline(run, from, env);
    const before = { status: run.row.status, events: run.row.events.length };
    try {
      return await settled(run, halt, env);
    } catch (error) {
      if (isSvcError(error) || error instanceof LostRace) throw error;
      // It could not be recorded as it is (a value of a plugin that JSON does not have): it ends as an error instead.
      run.row.status = before.status;
      run.row.events.length = before.events;
      throw error;
    }
  } catch (error) {
    if (error instanceof LostRace)
      throw new SvcError('SVC-STORE-001', 'the run was ended by another process', {
        paid: run.spend.length > 0,
        cause: error,
      });
    if (isSvcError(error)) throw paidFor(error, run);
    return failed(run, error, env);
  }
}

/** Ends a run that met a fault of ours or of a plugin, so that it does not stay `running`. What cannot be recorded is left out. */
async function failed(run: LiveRun, cause: unknown, env: RunsEnv): Promise<RunOutcome> {
  env.logger.error({ event: 'run_failed', run_id: run.run_id, reason: errorName(cause) });
  run.row.events = run.row.events.filter(isRecordable);
  run.completion = null;
  return finish(run, failure('execute', new SvcError('SVC-INT-001', 'internal error', { cause })), env);
}

function isRecordable(event: RunEvent): boolean {
  try {
    canonicalJson(event);
    return true;
  } catch {
    return false;
  }
}

async function throughPipeline(run: LiveRun, from: Position, env: RunsEnv): Promise<RunStop | null> {
  const { stage, resumed_at, approved } = from;
  if (stage !== 'egress') {
    // Of a run that goes on before its call every ingress node was passed.
    const ingress_at = stage === 'ingress' ? resumed_at : run.route.ingress.length;
    const refused = await runStage(run, 'ingress', ingress_at, approved, env);
    if (refused !== null) return refused;
    const before = stage === 'execute' ? from : FROM_THE_START;
    const halt = await execute(run, before.resumed_at ?? 0, before.approved, attemptOf(run, env), env);
    // Where it left as it came, its egress nodes have judged it by then.
    if (halt !== null || run.stream !== null) return halt;
  }
  const egress = stage === 'egress' ? from : FROM_THE_START;
  return runStage(run, 'egress', egress.resumed_at, egress.approved, env);
}

/** What is sent to a model is on disk before it is sent. */
function attemptOf(run: LiveRun, env: RunsEnv): Attempt {
  const { stream } = run;
  return async (endpoint, attempt) => {
    await run.startWrite;
    const halt = stopOnAbort(run);
    if (halt !== null) return { kind: 'halted', halt };
    return stream === null ? callWhole(run, endpoint, attempt, env) : stream.attempt(run, endpoint, attempt, env);
  };
}

/** Pauses the run, or ends it. */
async function settled(run: LiveRun, halt: RunStop | null, env: RunsEnv): Promise<RunOutcome> {
  if (halt?.kind === 'disconnected' || halt?.kind === 'interrupted') run.recordAbort(halt.kind);
  const stop = halt?.kind === 'paused' && run.stream?.pauses === false ? ({ ...halt, kind: 'blocked' } as const) : halt;
  const paused = stop?.kind === 'paused' ? await pausedWithin(run, stop, env) : null;
  return paused ?? finish(run, endOf(stop), env);
}

/** Null where too many runs wait already. */
async function pausedWithin(run: LiveRun, halt: Extract<RunStop, { kind: 'paused' }>, env: RunsEnv): Promise<RunOutcome | null> {
  const write = (): Promise<RunOutcome> => pause(run, halt, env);
  // One that was decided on is not lost to those that came after it.
  const wasPaused = run.events.some(({ event_type }) => event_type === 'paused');
  return wasPaused ? write() : env.pauses.pause(run.principal_id, write);
}

/** How a run ends whose pipeline stopped like this; null: it went through. */
function endOf(halt: RunStop | null): RunEnd {
  switch (halt?.kind) {
    case undefined:
      return { status: 'completed', stage: 'egress', stop: null, error: null };
    case 'blocked':
      return { status: 'blocked', stage: halt.stage, stop: halt, error: null };
    case 'paused':
      return failure(halt.stage, new SvcError('SVC-RATE-001', 'too many runs wait for a decision', { retry_after_s: 60 }));
    case 'failed':
      return failure(halt.stage, halt.error);
    case 'disconnected':
    case 'interrupted':
      return failure('execute', new SvcError('SVC-BUSY-001', `the run was ${halt.kind}`));
  }
}

function failure(stage: EventStage, error: SvcError): RunEnd {
  return { status: 'error', stage, stop: null, error };
}
