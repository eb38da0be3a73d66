import { isDeepStrictEqual } from 'node:util';
import { type Approver, type EventStage, type RunRow, SvcError } from '@svc/contracts';
import { CHAT } from '@svc/protocols';
import { PAUSE_CONTENT, type PausedPayload, payloadDigest } from '../content/paused-payload.ts';
import { decodeJson } from '../content/run-content.ts';
import { endpointOf, endpointsFor, firstEndpoint } from '../endpoints/order.ts';
import type { EarlierDecision } from '../repeats/earlier-decisions.ts';
import { advance } from './advance.ts';
import { findRun } from './find-run.ts';
import { finish } from './finish.ts';
import { type LiveRun, storedRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import type { EntryPoint } from './pipeline-run.ts';
import type { RuntimeRoute } from './route.ts';
import type { RunsEnv } from './runs-env.ts';
import { LostRace, saveRunning } from './save.ts';

/** `digest`: of the payload that the approver has seen; null if none was given. `identity`: who an issuer verified; null or absent for a key. */
export interface Decision {
  readonly decision: 'approved' | 'denied';
  readonly digest: string | null;
  readonly identity?: { readonly issuer: string; readonly subject: string } | null;
}

/** One decision for several runs that wait for the same. */
export interface Together {
  /** The run on which it was made. */
  readonly run_id: string;
  readonly runs: number;
}

/** `key`: what is decided, the newest of `pause_keys`. `together`: null for one run alone. `decided` is called once the decision is on disk, and awaited before it takes effect. */
export interface DecidedWith {
  readonly key: string | undefined;
  readonly together: Together | null;
  readonly decided: (made: EarlierDecision) => unknown;
}

/** Throws SVC-AUTH-003 unless this principal may decide on the run. */
export function assertApprover(row: RunRow, principal_id: string, env: RunsEnv): void {
  const listed = row.approvers.length === 0 || row.approvers.includes(principal_id);
  const itself = principal_id === row.principal_id && env.routes.get(row.route)?.self_approval === false;
  if (!listed || itself) throw new SvcError('SVC-AUTH-003', 'you are not an approver of this run', { run_id: row.run_id });
}

/** A paused run with its payload and the payload's size in bytes, ready to continue in this process. */
export async function openPaused(
  row: RunRow,
  route: RuntimeRoute | undefined,
  env: RunsEnv,
): Promise<{ run: LiveRun; payload: PausedPayload; size: number }> {
  const { run_id, status } = row;
  if (status !== 'paused') throw new SvcError('SVC-RUN-002', `the run is ${status}, not paused`, { run_id });
  if (route === undefined) throw new SvcError('SVC-RUN-003', 'the route of this run is not configured any more', { run_id });
  const found = await env.vault.read(run_id, PAUSE_CONTENT);
  if (found === null) throw new SvcError('SVC-RUN-002', 'the run is not paused any more', { run_id });
  const payload = decodeJson<PausedPayload>(found.bytes);
  const { protocol: id = CHAT.id, request, completion, keepRequest = false, conversation = null, continued = null } = payload;
  const protocol = env.protocols.get(id);
  if (protocol === undefined)
    throw new SvcError(
      'SVC-RUN-003',
      'no protocol plugin for this run is configured; ask the operator to restore it under protocols and restart',
      { run_id },
    );
  const run = storedRun(row, {
    route,
    bytes: env.bytes.reserve(),
    protocol,
    request,
    completion,
    states: new Map(Object.entries(payload.states)),
    spend: [...payload.spend],
    cost: payload.unbilled ? 'partial' : 'complete',
    contentKey: found.key,
    // The caller got the pause as its answer, and fetches the final answer later.
    keepAnswer: true,
    keepRequest,
    affinity: payload.affinity ?? null,
    conversation,
    continued,
  });
  return { run, payload, size: found.bytes.length };
}

/**
 * Decides on a paused run. Of several decisions one wins. An approved run continues after the node that paused it.
 * @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-002, SVC-RUN-003, SVC-RUN-005, SVC-BUSY-001, SVC-STORE-001
 */
export async function resume(
  run_id: string,
  principal_id: string,
  { decision, digest: seen, identity = null }: Decision,
  { key, together, decided }: DecidedWith,
  env: RunsEnv,
  track: Track,
): Promise<RunOutcome> {
  const row = await findRun(run_id, env);
  assertApprover(row, principal_id, env);
  // It may have gone on meanwhile, and wait for something that nobody has read.
  if (row.status === 'paused' && row.pause_keys?.at(-1) !== key)
    throw new SvcError('SVC-RUN-002', 'the run waits for another decision now', { run_id });
  const { run, payload, size } = await openPaused(row, env.routes.get(row.route), env);
  if (row.expires_at !== null && Date.parse(row.expires_at) <= env.clock.now()) {
    await denyExpired(run, payload, env, track);
    throw new SvcError('SVC-RUN-002', 'the run waited too long and was denied', { run_id });
  }
  const at = new Date(env.clock.now()).toISOString();
  const { node, digest } = payload;
  if (seen !== null && seen !== digest) throw new SvcError('SVC-RUN-002', 'what you read is not what waits now', { run_id });
  if (decision === 'approved') env.operational.assertGoesOn(run);
  // Its request was admitted before; it continues if the answers of running runs leave room.
  if (!run.bytes.grow('answer', size))
    throw new SvcError('SVC-BUSY-001', 'answers in flight take all that server.max_bytes_in_flight allows; try again later', {
      run_id,
      retry_after_s: 1,
    });
  const issuer = identity === null ? {} : { issuer: identity.issuer };
  const subject = identity === null ? {} : { subject: identity.subject };
  const route_digest = run.route.digest;
  // In canonical order, see evidenceOf.
  const approver: Approver = { at, decision, ...issuer, principal_id, ...subject };
  run.row.approver = approver;
  const withOthers = together === null ? {} : { together: { run_id: together.run_id, runs: together.runs } };
  run.record('decision', 'approval', node, {
    at,
    decision,
    digest,
    ...issuer,
    principal_id,
    route_digest,
    ...subject,
    ...withOthers,
  });
  const callsModel = decision === 'approved' && payload.stage !== 'egress';
  run.move('running', 'approval', callsModel ? (payload.endpoint ?? firstEndpoint(run)) : null);
  return track(run, async () => {
    // The decision is on disk before it takes effect; a decision that loses the race has changed nothing.
    await saveRunning(run, [], env).catch((error: unknown) => {
      throw error instanceof LostRace ? new SvcError('SVC-RUN-002', 'another decision came first', { run_id }) : error;
    });
    await decided({ ...approver, digest, run_id });
    return decision === 'denied' ? deny(run, payload, env) : advance(run, entryAfter(run, payload), env);
  }).finally(() => run.bytes.release());
}

/** The node that stopped it. */
type Paused = Pick<PausedPayload, 'stage' | 'node' | 'code'>;

/** Registers the work on a run with the owner of the process. */
export type Track = (run: LiveRun, work: () => Promise<RunOutcome>) => Promise<RunOutcome>;

/** Denies a paused run whose time is over; does nothing if another process or request changed it first. */
export async function denyExpired(
  run: LiveRun,
  payload: Paused & Pick<PausedPayload, 'digest'>,
  env: RunsEnv,
  track: Track,
): Promise<void> {
  run.record('expired', 'approval', payload.node, { digest: payload.digest });
  run.move('running', 'approval');
  try {
    await track(run, async () => {
      await saveRunning(run, [], env);
      return deny(run, payload, env);
    });
  } catch (error) {
    if (!(error instanceof LostRace)) throw error;
  }
}

/** Ends a run that was changed from `paused` to `running`. */
export async function deny(run: LiveRun, payload: Paused, env: RunsEnv, stage: EventStage = 'approval'): Promise<RunOutcome> {
  const stop = { kind: 'denied', stage: payload.stage, node: payload.node, code: payload.code } as const;
  return finish(run, { status: 'denied', stage, stop, error: null }, env);
}

/**
 * On an unchanged route a run continues after the pausing node, and no node is asked twice. If the route changed, the whole stage is asked
 * again about the stored payload, and the decision counts only for the same node and the same payload.
 */
function entryAfter(run: LiveRun, payload: PausedPayload): EntryPoint {
  const { stage, node, index, salt, digest, endpoint } = payload;
  // An approval for one endpoint is none for another.
  const there = stage !== 'execute' || endpointsFor(run).some((each) => isDeepStrictEqual(endpointOf(each), endpoint));
  const approved = (asked: string): boolean => there && asked === node && payloadDigest(run, salt) === digest;
  const unchanged = run.route.digest === payload.route_digest;
  return { stage, resumed_at: unchanged ? index + 1 : null, approved, endpoint };
}
