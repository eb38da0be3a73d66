import {
  type ContentItem,
  type CounterSettlement,
  type EndedStatus,
  type Hint,
  isoTime,
  isSvcError,
  type RunChange,
  SvcError,
} from '@svc/contracts';
import { evidenceOf } from '@svc/ledger';
import { GuardCall } from '../calls/guard-call.ts';
import { isSettlement } from '../calls/guard-result.ts';
import { ANSWER_CONTENT, encodeJson, REQUEST_CONTENT, reachedModel } from '../content/run-content.ts';
import { KEY_CONTENT } from '../content/vault.ts';
import type { RunReport } from '../observing/observer.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import { encodePayload, firstEndpoint, newSalt, PAUSE_CONTENT, type PausedPayload, payloadDigest } from './paused-payload.ts';
import { callEnv, guardContext } from './pipeline-run.ts';
import { nodesOf } from './route.ts';
import type { RunsEnv } from './runs-env.ts';

/**
 * Ends a run that was moved to an ended status: books what its guards reserved, writes row and evidence in one commit.
 * @throws {SvcError} SVC-STORE-001; then nothing of the run may be answered
 */
export async function finish(run: LiveRun, env: RunsEnv): Promise<RunOutcome> {
  await run.startWrite;
  const settlements = await settle(run, run.row.status as EndedStatus, env);
  const { row, events } = rowOf(run, env);
  const completed = row.status === 'completed' ? run.completion : null;
  const evidence = evidenceOf({ ...row, events }, run.route.model_version, iso(env));
  const change: RunChange = {
    run: { ...row, events: [], expires_at: null },
    expect: run.stored,
    put_content: env.vault.seal(run, keptContent(run, env)),
    drop_content: run.hasContent ? [PAUSE_CONTENT, REQUEST_CONTENT, KEY_CONTENT] : [],
    settlements,
  };
  const outcome = await commit(run, change, evidence, env);
  return {
    row: { ...change.run, evidence: outcome },
    events,
    completion: completed,
    stop: null,
    tail: run.stream?.tail ?? null,
    error: null,
    paid: run.spend.length > 0,
  };
}

/** Pauses a run that was moved to `paused`: what it needs to go on is on disk before anyone hears of it. */
export async function pause(
  run: LiveRun,
  { hint, stage, node, index, code }: Pick<PausedPayload, 'stage' | 'node' | 'index' | 'code'> & { hint?: Hint | undefined },
  env: RunsEnv,
): Promise<RunOutcome> {
  await run.startWrite;
  const salt = newSalt();
  const digest = payloadDigest(run, salt);
  const route_digest = run.route.digest;
  run.record('paused', stage, node, { code, digest, route_digest });
  const payload: PausedPayload = {
    stage,
    node,
    index,
    code,
    since: iso(env),
    salt,
    digest,
    route_digest,
    endpoint: stage === 'execute' ? firstEndpoint(run) : null,
    request: run.request,
    completion: run.completion,
    states: Object.fromEntries(run.states),
    spend: run.spend,
    unbilled: run.unbilled,
    keepAnswer: run.keepAnswer,
    keepRequest: run.keepRequest,
  };
  const { row } = rowOf(run, env);
  const expires_at = new Date(keptUntil(run, env.expire_after_ms, env) ?? 0).toISOString();
  const change: RunChange = {
    run: { ...row, expires_at },
    expect: run.stored,
    put_content: putContent(run, [{ name: PAUSE_CONTENT, bytes: encodePayload(payload), expires_at: null }], env),
    drop_content: [],
    settlements: [],
  };
  await commit(run, change, null, env);
  return {
    row: change.run,
    events: change.run.events,
    completion: null,
    stop: { kind: 'paused', stage, node, code, hint },
    tail: null,
    error: null,
    paid: run.spend.length > 0,
  };
}

/** Writes that a stored run is being worked on by this process. */
export async function saveRunning(run: LiveRun, content: readonly ContentItem[], env: RunsEnv): Promise<void> {
  const { row } = rowOf(run, env);
  const change: RunChange = {
    run: { ...row, expires_at: null },
    expect: run.stored,
    put_content: putContent(run, content, env),
    drop_content: [],
    settlements: [],
    ...(run.stored === null && run.uniqueKey !== null ? { unique_key: run.uniqueKey } : {}),
  };
  await commit(run, change, null, env);
}

/** Another process or request moved the run first. */
export class LostRace extends Error {}

/** The run was made before, with the same key. */
export class DuplicateRun extends Error {
  readonly run_id: string;
  constructor(run_id: string) {
    super('duplicate');
    this.run_id = run_id;
  }
}

async function commit(run: LiveRun, change: RunChange, evidence: ReturnType<typeof evidenceOf> | null, env: RunsEnv) {
  try {
    const outcome = await env.journal.commit(change, evidence);
    if (outcome.result === 'duplicate') throw new DuplicateRun(outcome.run_id);
    if (outcome.result === 'conflict') throw new LostRace(outcome.result);
    const { status, version, owner } = change.run;
    run.stored = { status, version, owner };
    run.row.version = version;
    env.observer.status(run.route.name, status);
    if (status !== 'pending' && status !== 'running') env.observer.rest(reportOf(run, env));
    return outcome.evidence;
  } catch (error) {
    throw isSvcError(error) ? paidFor(error, run) : error;
  }
}

/** The same error, saying that a model was paid where one was. */
export function paidFor(error: SvcError, run: LiveRun): SvcError {
  if (error.paid || run.spend.length === 0) return error;
  const { code, status, message } = error;
  return new SvcError(code, message.slice(code.length + 2), { status, paid: true, run_id: run.run_id, cause: error });
}

function reportOf(run: LiveRun, env: RunsEnv): RunReport {
  const { timeline, traceparent, row, route, streamed } = run;
  const { started_at, reader_ms, calls, nodes } = timeline;
  const duration_ms = timeline.at(env.clock.monotonic());
  const rest = { started_at, duration_ms, reader_ms, calls: [...calls], nodes: [...nodes] };
  return { run_id: row.run_id, route: route.name, status: row.status, streamed, traceparent, ...rest };
}

/** The row as the next commit writes it, and its events apart. */
function rowOf(run: LiveRun, env: RunsEnv) {
  const row = { ...run.row, owner: env.instance, version: (run.stored?.version ?? 0) + 1, events: [...run.row.events] };
  return { row, events: row.events };
}

/** Content of a run that has not ended: it must go when the run does. */
function putContent(run: LiveRun, items: readonly ContentItem[], env: RunsEnv): ContentItem[] {
  run.hasContent ||= items.length > 0;
  return env.vault.seal(run, items);
}

/** The end of a time that begins now, cut short by the retention of the run's content; null: neither ends. */
function keptUntil(run: LiveRun, for_ms: number | null, { clock, retention_ms }: RunsEnv): number | null {
  const ends = [
    ...(for_ms === null ? [] : [clock.now() + for_ms]),
    ...(retention_ms === null ? [] : [Date.parse(run.row.created_at) + retention_ms]),
  ];
  return ends.length === 0 ? null : Math.min(...ends);
}

function keptContent(run: LiveRun, env: RunsEnv): ContentItem[] {
  if (run.isUnread) return [];
  const expires_at = keptUntil(run, env.record_content ? null : env.result_ttl_ms, env);
  const items: ContentItem[] = [];
  if (run.completion !== null && run.row.status === 'completed' && (run.keepAnswer || env.record_content)) {
    items.push({ name: ANSWER_CONTENT, bytes: encodeJson(run.completion), expires_at });
  }
  if (env.record_content || (run.keepRequest && reachedModel(run.events)))
    items.push({ name: REQUEST_CONTENT, bytes: encodeJson(run.request), expires_at });
  return items;
}

const NEVER = new AbortController().signal;

/** Asks every guard once what to book. One that fails leaves its reservation to lapse; the run ends all the same. */
async function settle(run: LiveRun, outcome: EndedStatus, env: RunsEnv): Promise<CounterSettlement[]> {
  const settlements: CounterSettlement[] = [];
  for (const node of nodesOf(run.route)) {
    const { reservations } = node.guard;
    if (reservations === undefined) continue;
    const call = new GuardCall(node.guard, node.timeout_ms, callEnv(run, 'egress', env));
    try {
      const context = guardContext(run, node, 'egress', call.scope(NEVER));
      const account = run.unbilled ? 'partial' : 'whole';
      const asked = Promise.resolve(reservations.settle(context, run.spend, outcome, account));
      const settled = await call.budget.race(asked, NEVER);
      if (!settled.done) throw new Error('settle ran past its limit');
      const asked_for: unknown = settled.value ?? [];
      const own = Array.isArray(asked_for) ? [...asked_for] : [asked_for];
      if (!own.every(isSettlement)) throw new Error('settle broke its contract');
      settlements.push(...own);
    } catch {
      run.record('error', 'execute', node.name, { code: 'SVC-NODE-001' });
    } finally {
      call.end();
    }
  }
  return settlements;
}

function iso(env: RunsEnv): string {
  return isoTime(env.clock.now());
}
