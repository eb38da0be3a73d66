import {
  type Clock,
  type GuardResult,
  isSvcError,
  JSON_LIMITS,
  JsonCounter,
  type Logger,
  type Segment,
  type Stage,
  type SvcError,
} from '@svc/contracts';
import { collectRequest, type Payload } from '../segments/index.ts';
import { VERSION } from '../version.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import { addContext } from './added-context.ts';
import { isGuardResult } from './guard-result.ts';
import { judge } from './judge.ts';
import { callEnv, guardContext, type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';
import { anyEnforces, anyReadsNumbers, stagePayload } from './stage-payload.ts';
import { turnFor } from './turn.ts';
import { turnedAway } from './turned-away.ts';
import type { TokenCounter } from './usage.ts';
import { type JudgedNode, reportNode, type Scanned, verdictEvent } from './verdict-event.ts';

export interface PipelineEnv {
  /** Threads for the heavy work of guards. */
  readonly workers: GuardWorkers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** For whoever calls a provider. */
export interface UpstreamEnv extends PipelineEnv {
  /** Counts what a provider gave no figures of. Null: it is estimated from the length. */
  readonly count_tokens: TokenCounter | null;
}

/** For a request that passed the limits before a node added to it. */
const UNCOUNTED = { ...JSON_LIMITS, values: Number.POSITIVE_INFINITY, keys: Number.POSITIVE_INFINITY };

/** `from` of a stage that begins, before its first node; see {@link runStage}. */
export const STAGE_START = -1;

/**
 * Asks the nodes of a stage one after another, from `from` on; each sees what those before it edited. Of a run that goes on after a pause
 * those before are only asked whether what they made sure of still holds.
 * `approved(node)` tells whether an approver already let the payload, as it stands now, pass this node.
 * @returns null when all let it pass
 */
export async function runStage(
  run: PipelineRun,
  stage: Stage,
  from: number,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): Promise<Halt | null> {
  const nodes = run.route[stage];
  // Nobody looks: collecting the text of every request and answer was 5% of an unguarded request's time.
  const asked = [...nodes.entries()].filter(([index, { guard }]) => index >= from || (stage === 'ingress' && guard.reservations));
  if (asked.length === 0 && (from !== STAGE_START || run.route.unscannable === 'pass')) return null;
  let payload = stagePayload(run, stage);
  if (isSvcError(payload)) {
    if (anyEnforces(nodes) || run.route.unscannable !== 'pass') return { kind: 'failed', stage, error: payload };
    recordUnread(run, stage, payload, env);
    return null;
  }
  const unread = from === STAGE_START ? refuseUnscannable(run, stage, payload, approved) : null;
  if (unread !== null) return unread;
  for (const [index, node] of asked) {
    await readyToAsk(run, node, payload);
    const judged = await (index < from ? askAgain : askNode)(run, node, stage, payload, env);
    const aborted = haltOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, stage, judged));
    reportNode(run, node, stage, judged, env.clock.monotonic());
    const halt =
      node.mode === 'observe' ? null : (turnedAway(judged, stage) ?? haltOf(judged, stage, node.name, index, approved));
    if (halt !== null) return halt;
    payload = withAdded(run, node, judged, payload);
  }
  return null;
}

async function readyToAsk(run: PipelineRun, { namespaces }: PipelineNode, payload: Payload): Promise<void> {
  await turnFor(payload);
  // Its question goes to an embedding model.
  if (namespaces.length > 0) await run.startWrite;
}

/** The payload anew where the node added to the request. */
function withAdded(run: PipelineRun, node: PipelineNode, { sources }: JudgedNode, payload: Payload): Payload {
  if (sources === undefined || node.mode === 'observe') return payload;
  // What the caller sent was counted before.
  return collectRequest(run.request, anyReadsNumbers(run.route.ingress), new JsonCounter(UNCOUNTED));
}

/** Where nobody may stop the run, what cannot be looked at is recorded: its nodes would have stopped it. */
function recordUnread(run: PipelineRun, stage: Stage, error: SvcError, env: PipelineEnv): void {
  for (const node of run.route[stage]) {
    const scanned = { segments: 0, characters: 0, skipped: [] };
    const judged: JudgedNode = { verdict: 'block', code: error.code, scanned, findings: [], duration_ms: 0, failure: null };
    run.events.push(verdictEvent(node, stage, judged));
    reportNode(run, node, stage, judged, env.clock.monotonic());
  }
}

/** The route's own rule for parts that no guard can read; it acts as a node before the first. */
function refuseUnscannable(run: PipelineRun, stage: Stage, payload: Payload, approved: (node: string) => boolean): Halt | null {
  const verdict = run.route.unscannable;
  if (verdict === 'pass' || payload.skipped.length === 0) return null;
  const node = { name: 'unscannable', package: '@svc/kernel', version: VERSION, mode: 'enforce' } as const;
  const judged: JudgedNode = {
    verdict,
    code: 'unscannable',
    scanned: { segments: 0, characters: 0, skipped: payload.skipped },
    findings: [],
    duration_ms: 0,
    failure: null,
  };
  run.events.push(verdictEvent(node, stage, judged));
  return haltOf(judged, stage, node.name, STAGE_START, approved);
}

async function askNode(
  run: PipelineRun,
  node: PipelineNode,
  stage: Stage,
  payload: Payload,
  env: PipelineEnv,
): Promise<JudgedNode> {
  const leaves = payload.inScope(node.scope, node.guard.reads_numbers);
  const segments = payload.segments(leaves);
  const judgement = await judge(
    node,
    callEnv(run, stage, env),
    run.abort.signal,
    // One that runs past its limit still holds what it was given.
    (scope) => run.bytes.during(node.guard.check(segments, guardContext(run, node, stage, scope))),
    (answer): answer is GuardResult => isGuardResult(answer, node.guard, segments, stage === 'ingress'),
  );
  const scanned = scannedOf(segments, payload);
  const { duration_ms } = judgement;
  if (!judgement.ok) {
    return { verdict: node.on_error, code: 'SVC-NODE-001', scanned, findings: [], duration_ms, failure: judgement.failure };
  }
  const { verdict, code, edits, findings, hint, context } = judgement.result;
  if (node.mode === 'enforce') {
    payload.apply(edits, leaves, segments);
    if (context !== undefined) addContext(run.request.messages, context);
  }
  return { verdict, code, scanned, findings, duration_ms, failure: null, hint, sources: context?.sources };
}

/** A node that let the run pass before it paused: it may still refuse, and do nothing else. */
async function askAgain(
  run: PipelineRun,
  node: PipelineNode,
  stage: Stage,
  payload: Payload,
  env: PipelineEnv,
): Promise<JudgedNode> {
  const segments = payload.segments(payload.inScope(node.scope, node.guard.reads_numbers));
  const judgement = await judge(
    node,
    callEnv(run, stage, env),
    run.abort.signal,
    (scope) => node.guard.reservations?.revalidate(segments, guardContext(run, node, stage, scope)),
    (answer): answer is GuardResult => isGuardResult(answer, node.guard, segments) && isPlain(answer),
  );
  const { duration_ms } = judgement;
  const seen = { scanned: scannedOf(segments, payload), duration_ms };
  if (judgement.ok) return { ...seen, ...judgement.result, failure: null };
  const verdict = node.on_error === 'allow' ? 'allow' : 'block';
  return { ...seen, verdict, code: 'SVC-NODE-001', findings: [], failure: judgement.failure };
}

function isPlain({ verdict, edits }: GuardResult): boolean {
  return (verdict === 'allow' || verdict === 'block') && edits.length === 0;
}

function scannedOf(segments: readonly Segment[], { skipped }: Payload): Scanned {
  return { segments: segments.length, characters: segments.reduce((sum, { text }) => sum + text.length, 0), skipped };
}

function haltOf(
  { verdict, code, hint }: JudgedNode,
  stage: Stage,
  node: string,
  index: number,
  approved: (node: string) => boolean,
): Halt | null {
  switch (verdict) {
    case 'allow':
    case 'sanitize':
      return null;
    case 'block':
      return { kind: 'blocked', stage, node, code, hint };
    case 'require_approval':
      return approved(node) ? null : { kind: 'paused', stage, node, index, code, hint };
  }
}
