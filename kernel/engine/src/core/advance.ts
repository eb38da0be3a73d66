import { type EndedStatus, type EventStage, errorName, isSvcError, type RunEvent, type Stage, SvcError } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import type { Attempt } from './attempt.ts';
import { execute } from './execute.ts';
import { finish, LostRace, paidFor, pause } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome, Stop } from './outcome.ts';
import { type Halt, haltOnAbort } from './pipeline-run.ts';
import type { RunsEnv } from './runs-env.ts';
import { runStage, STAGE_START } from './stage.ts';
import { callWhole } from './whole-call.ts';

/** Where in its route a run goes on. `index` is the first node to ask in the stage. */
export interface Position {
  readonly stage: Stage | 'execute';
  readonly index: number;
  /** Whether an approver let the payload, as it stands now, pass this node. */
  readonly approved: (node: string) => boolean;
}

export const FROM_THE_START: Position = { stage: 'ingress', index: STAGE_START, approved: () => false };

/**
 * Takes a running run from a position to its next rest: ended or paused, and on disk.
 * @throws {SvcError} SVC-STORE-001 where that could not be written
 */
export async function advance(run: LiveRun, from: Position, env: RunsEnv): Promise<RunOutcome> {
  run.timeline.begin(env.clock);
  try {
    const halt = await throughPipeline(run, from, env);
    const before = { status: run.row.status, events: run.row.events.length };
    try {
      return await rest(run, halt, env);
    } catch (error) {
      if (isSvcError(error) || error instanceof LostRace) throw error;
      // It could not be recorded as it is (a value of a plugin that JSON does not have): it ends as an error instead.
      run.row.status = before.status;
      run.row.events.length = before.events;
      throw error;
    }
  } catch (error) {
    if (error instanceof LostRace)
      throw new SvcError('SVC-STORE-001', 'the run was ended by another process', { ...paid(run), cause: error });
    if (isSvcError(error)) throw paidFor(error, run);
    return failed(run, error, env);
  }
}

/** Ends a run that met a fault of ours or of a plugin, so that it does not stay `running`. What cannot be recorded is left out. */
async function failed(run: LiveRun, cause: unknown, env: RunsEnv): Promise<RunOutcome> {
  env.logger.error({ event: 'run_failed', run_id: run.run_id, reason: errorName(cause) });
  run.row.events = run.row.events.filter(isRecordable);
  run.completion = null;
  return end(run, 'error', 'execute', new SvcError('SVC-INT-001', 'internal error', { cause }), env);
}

function isRecordable(event: RunEvent): boolean {
  try {
    canonicalJson(event);
    return true;
  } catch {
    return false;
  }
}

function paid(run: LiveRun): { paid: boolean } {
  return { paid: run.spend.length > 0 };
}

async function throughPipeline(run: LiveRun, from: Position, env: RunsEnv): Promise<Halt | null> {
  if (from.stage !== 'egress') {
    // Of a run that goes on before its call every ingress node was passed.
    const index = from.stage === 'ingress' ? from.index : run.route.ingress.length;
    const halt = await runStage(run, 'ingress', index, from.approved, env);
    if (halt !== null) return halt;
  }
  if (from.stage !== 'egress') {
    const { index, approved } = from.stage === 'execute' ? from : FROM_THE_START;
    const halt = await execute(run, index, approved, attemptOf(run, env), env);
    if (halt !== null) return halt;
    // Its egress nodes have judged what left, as it left.
    if (run.stream !== null) return null;
  }
  const egress = from.stage === 'egress' ? from : FROM_THE_START;
  return runStage(run, 'egress', egress.index, egress.approved, env);
}

/** What is sent to a model is on disk before it is sent. */
function attemptOf(run: LiveRun, env: RunsEnv): Attempt {
  const { stream } = run;
  return async (endpoint, attempt) => {
    await run.startWrite;
    const halt = haltOnAbort(run);
    if (halt !== null) return { kind: 'halted', halt };
    return stream === null ? callWhole(run, endpoint, attempt, env) : stream.attempt(run, endpoint, attempt, env);
  };
}

async function rest(run: LiveRun, halt: Halt | null, env: RunsEnv): Promise<RunOutcome> {
  if (halt === null) return end(run, 'completed', 'egress', null, env);
  switch (halt.kind) {
    case 'paused': {
      const write = (): Promise<RunOutcome> => {
        run.move('paused', halt.stage, env.config_digest);
        return pause(run, halt, env);
      };
      // One that was decided on is not lost to those that came after it.
      if (run.events.some(({ event_type }) => event_type === 'paused')) return write();
      return (await env.pauses.pause(run.principal_id, write)) ?? end(run, 'error', halt.stage, tooManyWait(), env);
    }
    case 'blocked': {
      const outcome = await end(run, 'blocked', halt.stage, null, env);
      const stop: Stop = { kind: 'blocked', stage: halt.stage, node: halt.node, code: halt.code, hint: halt.hint };
      return { ...outcome, stop };
    }
    case 'failed':
      return end(run, 'error', halt.stage, halt.error, env);
    case 'disconnected':
    case 'interrupted': {
      run.record(halt.kind, 'execute', '', run.unbilled ? { spend: 'unknown' } : {});
      return end(run, 'error', 'execute', new SvcError('SVC-BUSY-001', `the run was ${halt.kind}`), env);
    }
  }
}

function tooManyWait(): SvcError {
  return new SvcError('SVC-RATE-001', 'too many runs wait for a decision', { retry_after_s: 60 });
}

/** Ends a running run and writes its evidence. */
async function end(
  run: LiveRun,
  status: EndedStatus,
  stage: EventStage,
  error: SvcError | null,
  env: RunsEnv,
): Promise<RunOutcome> {
  if (error !== null) run.record('error', stage, '', { code: error.code });
  run.move(status, stage, env.config_digest);
  const outcome = await finish(run, env);
  return { ...outcome, error, ...paid(run) };
}
