import { type EndedStatus, type EventStage, isSvcError, type Stage, SvcError } from '../contracts/index.ts';
import { execute, type Halt, runStage, STAGE_START } from '../pipeline/index.ts';
import { finish, LostRace, pause } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome, Stop } from './outcome.ts';
import type { RunsEnv } from './runs-env.ts';

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
  try {
    const halt = await throughPipeline(run, from, env);
    return await rest(run, halt, env);
  } catch (error) {
    if (error instanceof LostRace) throw new SvcError('SVC-STORE-001', 'the run was ended by another process', { cause: error });
    if (isSvcError(error)) throw error;
    // A fault of our own is recorded as one; the run must not stay `running` for ever.
    env.logger.error({ event: 'run_failed', run_id: run.run_id, reason: error instanceof Error ? error.name : 'unknown' });
    if (run.row.status !== 'running') throw new SvcError('SVC-INT-001', 'internal error', { cause: error });
    return end(run, 'error', 'execute', new SvcError('SVC-INT-001', 'internal error', { cause: error }), env);
  }
}

async function throughPipeline(run: LiveRun, from: Position, env: RunsEnv): Promise<Halt | null> {
  if (from.stage === 'ingress') {
    const halt = await runStage(run, 'ingress', from.index, from.approved, env);
    if (halt !== null) return halt;
  }
  if (from.stage !== 'egress') {
    const halt = await execute(run, from.stage === 'execute' ? from.approved : FROM_THE_START.approved, env);
    if (halt !== null) return halt;
  }
  const egress = from.stage === 'egress' ? from : FROM_THE_START;
  return runStage(run, 'egress', egress.index, egress.approved, env);
}

async function rest(run: LiveRun, halt: Halt | null, env: RunsEnv): Promise<RunOutcome> {
  if (halt === null) return end(run, 'completed', 'egress', null, env);
  switch (halt.kind) {
    case 'paused':
      run.move('paused', halt.stage, env.config_digest);
      return pause(run, { stage: halt.stage, node: halt.node, index: halt.index, code: halt.code }, env);
    case 'blocked': {
      const outcome = await end(run, 'blocked', halt.stage, null, env);
      const stop: Stop = { kind: 'blocked', node: halt.node, code: halt.code };
      return { ...outcome, stop };
    }
    case 'failed':
      return end(run, 'error', halt.stage, halt.error, env);
    case 'disconnected':
    case 'interrupted': {
      run.record(halt.kind, 'execute', '', {});
      return end(run, 'error', 'execute', new SvcError('SVC-BUSY-001', `the run was ${halt.kind}`), env);
    }
  }
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
  return { ...outcome, error };
}
