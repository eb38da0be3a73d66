import { isDeepStrictEqual } from 'node:util';
import { type Approver, type ContentItem, type EventData, type EventStage, type RunRow, SvcError } from '@svc/contracts';
import { endpointOf, endpointsFor, firstEndpoint } from '../endpoints/order.ts';
import { advance } from './advance.ts';
import { findRun } from './find-run.ts';
import { finish } from './finish.ts';
import { type LiveRun, storedRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import { pausedOutcome } from './pause.ts';
import type { EntryPoint } from './pipeline-run.ts';
import type { RuntimeRoute } from './route.ts';
import type { OpenedPause } from './run-vault.ts';
import type { RunsEnv } from './runs-env.ts';
import { LostRace, saveRunning } from './save.ts';

/** A decision on a paused run, and its effect. */
export interface DecidedRun {
  readonly approver: Approver;
  readonly event: EventData<'decision'>;
  /** The other people: who approved earlier, or on whose behalf someone decided. Null: the decision does not apply to repetitions. */
  readonly others: readonly Pick<Approver, 'principal_id' | 'issuer' | 'subject'>[] | null;
  /** Encrypted. */
  readonly put_content: readonly ContentItem[];
  /** Whether the run stays paused because it needs more approvals. */
  readonly waits: boolean;
  /** What the run continues with. */
  readonly pause: OpenedPause;
}

/** `key`: identifies the question, the newest of `pause_keys`. `decided` is called and awaited between the write of the decision and its effect. */
export interface Deciding {
  readonly key: string | undefined;
  /** Returns the decision on the current pause. Throws or rejects if there is none. */
  readonly decide: (run: LiveRun, pause: OpenedPause) => DecidedRun | Promise<DecidedRun>;
  readonly decided: (made: DecidedRun) => unknown;
}

/** A paused run with its pause, ready to continue in this process. */
export async function openPaused(
  row: RunRow,
  route: RuntimeRoute | undefined,
  env: RunsEnv,
): Promise<{ run: LiveRun; pause: OpenedPause }> {
  const { run_id, status } = row;
  if (status !== 'paused') throw new SvcError('SVC-RUN-002', `the run is ${status}, not paused`, { run_id });
  if (route === undefined) throw new SvcError('SVC-RUN-003', 'the route of this run is no longer configured', { run_id });
  const pause = await env.vault.openPause(row);
  if (pause === null) throw new SvcError('SVC-RUN-002', 'the run is no longer paused', { run_id });
  const run = storedRun(row, { ...pause.run, route, bytes: env.bytes.reserve() });
  return { run, pause };
}

/**
 * Decides on a paused run. If several decisions compete, one wins. An approved run continues after the node that paused it.
 * @throws {SvcError} SVC-RUN-001, SVC-RUN-002, SVC-RUN-003, SVC-RUN-005, SVC-BUSY-001, SVC-STORE-001; {@link LostRace}
 */
export async function resume(
  run_id: string,
  { key, decide, decided }: Deciding,
  env: RunsEnv,
  track: Track,
): Promise<RunOutcome> {
  const row = await findRun(run_id, env);
  // The run may have continued meanwhile, and paused for something that the approver has not seen.
  if (row.status === 'paused' && row.pause_keys?.at(-1) !== key)
    throw new SvcError('SVC-RUN-002', 'the run now waits for another decision; read it again', { run_id });
  const { run, pause: paused } = await openPaused(row, env.routes.get(row.route), env);
  if (row.expires_at !== null && Date.parse(row.expires_at) <= env.clock.now()) {
    await denyExpired(run, paused, env, track);
    throw new SvcError('SVC-RUN-002', 'the approval timed out, so the run was denied', { run_id });
  }
  const made = await decide(run, paused);
  const { approver, event, put_content, waits, pause } = made;
  const isApproved = approver.decision === 'approved';
  if (isApproved) env.policy.assertMayContinue(run);
  // The request was admitted earlier. The run continues if there is room beside the answers of running runs.
  if (!run.bytes.grow('answer', pause.size))
    throw new SvcError('SVC-BUSY-001', 'other answers in progress use all of server.max_bytes_in_flight; try again later', {
      run_id,
      retry_after_s: 1,
    });
  run.record('decision', 'approval', pause.node, event);
  if (!waits) {
    run.row.approver = approver;
    run.move('running', 'approval', isApproved && pause.stage !== 'egress' ? (pause.endpoint ?? firstEndpoint(run)) : null);
  }
  return track(run, async () => {
    // The decision is on disk before it takes effect. A decision that loses the race has no effect.
    await saveRunning(run, put_content, env, waits ? row.expires_at : null);
    await decided(made);
    if (waits) return pausedOutcome(run, run.row, pause);
    return isApproved ? advance(run, entryAfter(run, pause), env) : deny(run, pause, env);
  }).finally(() => run.bytes.release());
}

/** The node that paused the run, and why. */
type Paused = Pick<OpenedPause, 'stage' | 'node' | 'code' | 'reason'>;

/** Notifies the owner of the process that it works on the run. */
export type Track = (run: LiveRun, work: () => Promise<RunOutcome>) => Promise<RunOutcome>;

/** Denies a paused run whose time is over. Does nothing if another process or request changed the run first. */
export async function denyExpired(
  run: LiveRun,
  pause: Paused & Pick<OpenedPause, 'digest'>,
  env: RunsEnv,
  track: Track,
): Promise<void> {
  run.record('expired', 'approval', pause.node, { digest: pause.digest });
  run.move('running', 'approval');
  try {
    await track(run, async () => {
      await saveRunning(run, [], env);
      return deny(run, pause, env);
    });
  } catch (error) {
    if (!(error instanceof LostRace)) throw error;
  }
}

/** Ends a run that was changed from `paused` to `running`. */
export async function deny(
  run: LiveRun,
  { stage: paused_in, node, code, reason }: Paused,
  env: RunsEnv,
  stage: EventStage = 'approval',
): Promise<RunOutcome> {
  const stop = { kind: 'denied', stage: paused_in, node, code, reason } as const;
  return finish(run, { status: 'denied', stage, stop, error: null }, env);
}

/**
 * On an unchanged route, a run continues after the pausing node, so no node is asked twice. If the route changed, the whole stage is repeated on the
 * stored payload, and the decision counts only for the same node and the same payload.
 */
function entryAfter(run: LiveRun, pause: OpenedPause): EntryPoint {
  const { stage, node, index, endpoint } = pause;
  // An approval for one endpoint does not apply to another.
  const there = stage !== 'execute' || endpointsFor(run).some((each) => isDeepStrictEqual(endpointOf(each), endpoint));
  const approved = (asked: string): boolean => there && asked === node && pause.matches(run);
  const unchanged = run.route.digest === pause.route_digest;
  return { stage, resumed_at: unchanged ? index + 1 : null, approved, endpoint };
}
