import { type EventStage, errorName, isSvcError, type RunEvent, SvcError } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { cancellation, tooManyPaused } from '../admission/stopping.ts';
import type { Attempt } from './attempt.ts';
import { execute } from './execute.ts';
import { finish, type RunEnd } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome, Stop } from './outcome.ts';
import { pause } from './pause.ts';
import type { EntryPoint } from './pipeline-run.ts';
import type { PausedStop } from './run-policy.ts';
import { isCancelled, type RunStop } from './run-stop.ts';
import type { RunsEnv } from './runs-env.ts';
import { LostRace, paidFor } from './save.ts';
import { askOperator, runStage } from './stage.ts';

export const FROM_THE_START: EntryPoint = { stage: 'ingress', resumed_at: null, approved: () => false };

/**
 * Takes a running run from an entry point until it is settled: ended or paused, and on disk.
 * @throws {SvcError} SVC-STORE-001 if the result cannot be written
 */
export async function advance(run: LiveRun, from: EntryPoint, env: RunsEnv): Promise<RunOutcome> {
  run.timeline.begin(env.clock);
  try {
    const stop = await throughRepeats(run, await throughPipeline(run, from, env), env);
    const { status } = run.row;
    const { length } = run.events;
    try {
      return await settled(run, stop, env);
    } catch (error) {
      if (isSvcError(error) || error instanceof LostRace) throw error;
      // The run could not be recorded, for example because a plugin returned a value that has no JSON form. The run ends with an error instead.
      run.row.status = status;
      run.events.length = length;
      throw error;
    }
  } catch (error) {
    if (error instanceof LostRace)
      throw new SvcError('SVC-STORE-001', 'another process ended this run; check its status', {
        paid: run.spend.length > 0,
        cause: error,
      });
    if (isSvcError(error)) throw paidFor(error, run);
    return failed(run, error, env);
  }
}

/** Ends a run after an internal error or an error of a plugin, so that it does not stay `running`. Events that cannot be recorded are left out. */
async function failed(run: LiveRun, cause: unknown, env: RunsEnv): Promise<RunOutcome> {
  env.logger.error({ event: 'run_failed', run_id: run.run_id, reason: errorName(cause) });
  run.events.splice(0, Number.POSITIVE_INFINITY, ...run.events.filter(isRecordable));
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

async function throughPipeline(run: LiveRun, from: EntryPoint, env: RunsEnv): Promise<RunStop | null> {
  const { stage } = from;
  if (stage !== 'egress') {
    const ingress = ingressFrom(from, run);
    const asking = runStage(run, 'ingress', ingress.resumed_at, ingress.approved, env);
    const refused = asking instanceof Promise ? await asking : asking;
    if (refused !== null) return refused;
    const at = stage === 'execute' ? from : FROM_THE_START;
    const transport = run.transport ?? env.whole;
    const call: Attempt = (endpoint) => {
      run.claim?.end();
      run.claim = null;
      return transport.attempt(run, endpoint);
    };
    const stop = askOperator(run, at, env) ?? (await execute(run, at.resumed_at ?? 0, at.approved, call, env, at.endpoint));
    if (stop !== null || transport.judges) return stop;
  }
  const egress = stage === 'egress' ? from : FROM_THE_START;
  return runStage(run, 'egress', egress.resumed_at, egress.approved, env);
}

/** A run that continues before its model call has passed every ingress node, unless its route or its request was changed. */
function ingressFrom(from: EntryPoint, { route }: LiveRun): EntryPoint {
  if (from.stage === 'ingress') return from;
  return { ...FROM_THE_START, resumed_at: from.resumed_at === null ? null : route.ingress.length };
}

/** Applies the decision on an earlier run to a pause with the same question. An approval counts as if a person had approved this run. */
async function throughRepeats(run: LiveRun, reached: RunStop | null, env: RunsEnv): Promise<Reached> {
  let stop = reached;
  while (stop?.kind === 'paused' && run.transport?.pauses !== false) {
    const { stage, node, next, code, endpoint } = stop;
    const earlier = await env.pauses.earlierDecision(run, stop);
    if (earlier === null) return stop;
    if (earlier.decision === 'denied') return { kind: 'denied', stage, node, code, reason: earlier.reason };
    const key = run.row.pause_keys?.at(-1);
    const asks = stop;
    const approved = (asked: string): boolean => asked === node && env.pauses.keyOf(run, asks) === key;
    stop = await throughPipeline(run, { stage, resumed_at: next, approved, endpoint }, env);
  }
  return stop;
}

type Reached = RunStop | (Stop & { readonly kind: 'denied' }) | null;

function settled(run: LiveRun, reached: Reached, env: RunsEnv): Promise<RunOutcome> {
  if (reached?.kind === 'denied') return finish(run, { status: 'denied', stage: reached.stage, stop: reached, error: null }, env);
  if (isCancelled(reached)) run.recordAbort(reached);
  if (reached?.kind !== 'paused') return finish(run, endOf(reached), env);
  if (run.transport?.pauses === false) return finish(run, endOf({ ...reached, kind: 'blocked' }), env);
  return pausedOrEnded(run, reached, env);
}

/** Stores the pause. Ends the run instead if too many runs are paused already. */
async function pausedOrEnded(run: LiveRun, stop: PausedStop, env: RunsEnv): Promise<RunOutcome> {
  const write = (): Promise<RunOutcome> => pause(run, stop, env);
  // A run that was paused before keeps its place among the paused runs; newer runs cannot take it.
  const wasPaused = run.events.some(({ event_type }) => event_type === 'paused');
  const paused = wasPaused ? await write() : await env.pauses.pause(run, write);
  return paused ?? finish(run, endOf(stop), env);
}

/** How the run ends after this stop. Null means that the pipeline was completed. */
function endOf(stop: RunStop | null): RunEnd {
  switch (stop?.kind) {
    case undefined:
      return { status: 'completed', stage: 'egress', stop: null, error: null };
    case 'blocked':
      return { status: 'blocked', stage: stop.stage, stop, error: null };
    case 'paused':
      return failure(stop.stage, tooManyPaused());
    case 'failed':
      return failure(stop.stage, stop.error);
    case 'stopped':
      return failure('execute', stop.error);
    case 'disconnected':
    case 'interrupted':
      return failure('execute', cancellation(stop.kind));
  }
}

function failure(stage: EventStage, error: SvcError): RunEnd {
  return { status: 'error', stage, stop: null, error };
}
