import { type Clock, type GuardResult, isSvcError, type Logger, type Stage, type SvcError } from '../contracts/index.ts';
import { collectRequest, type Payload } from '../segments/index.ts';
import { VERSION } from '../version.ts';
import { addContext } from './added-context.ts';
import { isGuardResult } from './guard-result.ts';
import { judge } from './judge.ts';
import { guardContext, type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';
import { anyEnforces, stagePayload } from './stage-payload.ts';
import { type JudgedNode, reportNode, verdictEvent } from './verdict-event.ts';

export interface PipelineEnv {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `from` of a stage that begins, before its first node; see {@link runStage}. */
export const STAGE_START = -1;

/**
 * Asks the nodes of a stage one after another, from `from` on; each sees what those before it edited.
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
  if (Math.max(from, 0) >= nodes.length && run.route.unscannable === 'pass') return null;
  let payload = stagePayload(run, stage);
  if (isSvcError(payload)) {
    if (anyEnforces(nodes) || run.route.unscannable !== 'pass') return { kind: 'failed', stage, error: payload };
    recordUnread(run, stage, payload, env);
    return null;
  }
  const unread = from === STAGE_START ? refuseUnscannable(run, stage, payload, approved) : null;
  if (unread !== null) return unread;
  for (const [index, node] of nodes.entries()) {
    if (index < from) continue;
    const { judged, added } = await askNode(run, node, stage, payload, env);
    const aborted = haltOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, stage, judged));
    reportNode(run, node, stage, judged, env.clock.monotonic());
    const halt = node.mode === 'observe' ? null : haltOf(judged, stage, node.name, index, approved);
    if (halt !== null) return halt;
    if (added) payload = collectRequest(run.request);
  }
  return null;
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
): Promise<{ judged: JudgedNode; added: boolean }> {
  const leaves = payload.inScope(node.scope);
  const segments = payload.segments(leaves);
  const judgement = await judge(
    node,
    env.clock,
    run.abort.signal,
    (signal) => node.guard.check(segments, guardContext(run, node, stage, signal)),
    (answer): answer is GuardResult => isGuardResult(answer, node.guard, segments, stage === 'ingress'),
  );
  const scanned = {
    segments: segments.length,
    characters: segments.reduce((sum, { text }) => sum + text.length, 0),
    skipped: payload.skipped,
  };
  const { duration_ms } = judgement;
  if (!judgement.ok) {
    const judged = {
      verdict: node.on_error,
      code: 'SVC-NODE-001',
      scanned,
      findings: [],
      duration_ms,
      failure: judgement.failure,
    };
    return { judged, added: false };
  }
  const { verdict, code, edits, findings, hint, context } = judgement.result;
  const judged = { verdict, code, scanned, findings, duration_ms, failure: null, hint, sources: context?.sources };
  if (node.mode === 'observe') return { judged, added: false };
  payload.apply(edits, leaves, segments);
  if (context !== undefined) addContext(run.request.messages, context);
  return { judged, added: context !== undefined };
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
