import {
  type Clock,
  cloneJson,
  finished,
  isSvcError,
  type Logger,
  type Stage,
  type Steps,
  type SvcError,
  soon,
  Turns,
} from '@svc/contracts';
import { callEnv } from '../calls/call-env.ts';
import type { CallEnv } from '../calls/guard-call.ts';
import { guardContext } from '../calls/guard-context.ts';
import { isGuardResult, type ReturnedResult } from '../calls/guard-result.ts';
import type { Circuits } from '../endpoints/circuits.ts';
import { reportFailure } from '../observing/guard-failure.ts';
import type { Observer } from '../observing/observer.ts';
import { VERSION } from '../version.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import { type Judgement, judge } from './judge.ts';
import type { EntryPoint, GuardedRequest, PipelineRun } from './pipeline-run.ts';
import { anyEnforces, anyReadsNumbers, type PipelineNode } from './route.ts';
import type { RunPolicy } from './run-policy.ts';
import { type RunStop, stopOnAbort, stopOnVerdict } from './run-stop.ts';
import type { Payload, Seen, Texts } from './texts.ts';
import { failedNode, type JudgedNode, judgedNode, reportNode, skipNode, verdictEvent } from './verdict-event.ts';

export interface PipelineEnv {
  readonly workers: GuardWorkers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly policy: RunPolicy;
  readonly texts: Texts;
}

export interface UpstreamEnv extends PipelineEnv {
  readonly circuits: Circuits;
}

/** The error if a guard would mask text but the route's embeddings do not allow it. */
const WOULD_MASK = { text: 'It would mask the text, which needs `embeddings: mask` in the route.' };

/**
 * Asks the nodes of a stage one after another; each sees the edits of the nodes before it. `resumed_at` is null, or the node where a run continues
 * after a pause; the nodes before it only check their reservations again. `approved(node)`: whether an approver approved the current payload for it.
 * @returns null if no node stops the run
 */
export function runStage(
  run: PipelineRun,
  stage: Stage,
  resumed_at: number | null,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): RunStop | null | Promise<RunStop | null> {
  const nodes = run.route[stage];
  const first = resumed_at ?? 0;
  const asks = ({ guard }: PipelineNode, index: number): boolean =>
    index >= first || (stage === 'ingress' && guard.reservations !== undefined);
  // Without nodes, no text is collected: collecting took 5% of the time of an unguarded request.
  if ((resumed_at !== null || run.route.unscannable === 'pass') && !nodes.some(asks)) return null;
  const collected = stagePayload(run, stage, env.texts);
  if (isSvcError(collected)) return stopOnUnread(run, stage, collected, env);
  let payload = collected;
  const call = callEnv(run, stage, env);

  const askFrom = (from: number): RunStop | null | Promise<RunStop | null> => {
    for (let index = from; index < nodes.length; index += 1) {
      const node = nodes[index] as PipelineNode;
      if (!asks(node, index) || skipNode(node, stage, run.events, env.policy)) continue;
      const ask = (): JudgedNode | Promise<JudgedNode> => (index < first ? revalidate : askNode)(run, node, stage, payload, call);
      const asking = readyToAsk(run, node, payload)?.then(ask) ?? ask();
      if (asking instanceof Promise) return asking.then((judged) => take(node, index, judged) ?? askFrom(index + 1));
      const stop = take(node, index, asking);
      if (stop !== null) return stop;
    }
    return null;
  };

  const take = (node: PipelineNode, index: number, judged: JudgedNode): RunStop | null => {
    payload = withAdded(run, nodes, judged, payload, env.texts);
    const aborted = stopOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, stage, judged));
    reportNode(run, node, stage, judged, env.clock.monotonic());
    return stopOf(judged, stage, node, index, approved);
  };

  const unread = resumed_at === null ? refuseUnscannable(run, stage, payload, approved) : null;
  return unread ?? askFrom(0);
}

/** The stage's texts, or why they cannot be checked. Edits change the run unless all nodes only observe. */
function stagePayload(run: PipelineRun, stage: Stage, texts: Texts): Payload | SvcError {
  const nodes = run.route[stage];
  const enforces = anyEnforces(nodes) || run.route.unscannable !== 'pass';
  const numbers = anyReadsNumbers(nodes);
  if (stage === 'egress') return texts.ofAnswer(run, numbers, enforces);
  const { protocol, request, route } = run;
  // An accepted run may use the memory that is reserved for answers, so that it can end. Observing nodes see what they would see if they enforced.
  return texts.ofRequest({ protocol, request: enforces ? request : cloneJson(request), route }, numbers, (values) =>
    run.bytes.weigh(run.admitted ? 'answer' : 'request', values),
  );
}

/** Null if there is nothing to wait for. */
function readyToAsk(run: PipelineRun, { namespaces }: PipelineNode, payload: Payload): Promise<unknown> | null {
  // A node with namespaces sends the user's question to an embedding model.
  const turn = payload.turn(run.principal_id);
  return namespaces.length > 0 ? Promise.all([turn, run.startWrite]) : turn;
}

/** The payload after the node has added its text to the request. */
export function withAdded(
  asked: Pick<GuardedRequest, 'protocol' | 'request' | 'route'>,
  nodes: readonly PipelineNode[],
  { added }: JudgedNode,
  payload: Payload,
  texts: Texts,
): Payload {
  return added === undefined ? payload : texts.added(asked, anyReadsNumbers(nodes), added);
}

/** Stops a run whose texts cannot be checked. If all nodes only observe, an event records that they would have stopped it. */
function stopOnUnread(run: PipelineRun, stage: Stage, error: SvcError, env: PipelineEnv): RunStop | null {
  const nodes = run.route[stage];
  if (anyEnforces(nodes) || run.route.unscannable !== 'pass') return { kind: 'failed', stage, error };
  for (const node of nodes) {
    const judged = judgedNode({ verdict: 'block', code: error.code });
    run.events.push(verdictEvent(node, stage, judged));
    reportNode(run, node, stage, judged, env.clock.monotonic());
  }
  return null;
}

/** The route's own rule for parts that no guard can read. */
function refuseUnscannable(
  run: PipelineRun,
  stage: Stage,
  payload: Payload,
  approved: (node: string) => boolean,
): RunStop | null {
  const verdict = run.route.unscannable;
  if (verdict === 'pass') return null;
  // A handle needs no check: it stands for a value that returns to the model it came from.
  const skipped = payload.skipped.filter(({ why }) => why !== 'handle');
  if (skipped.length === 0) return null;
  const scanned = { segments: 0, characters: 0, skipped };
  return stopOnRule(run, 'unscannable', stage, judgedNode({ verdict, code: 'unscannable', scanned }), approved);
}

/** The operator's rule that every run of the route needs approval before its first model call. */
export function askOperator(run: PipelineRun, { resumed_at, approved }: EntryPoint, env: PipelineEnv): RunStop | null {
  if (!env.policy.asksApproval(run, resumed_at !== null)) return null;
  const judged = judgedNode({ verdict: 'require_approval', code: 'approval_required' });
  return stopOnRule(run, 'operator', 'execute', judged, approved, resumed_at ?? 0);
}

/** The effect of a rule that belongs to no guard. It acts like a node before the node at index `next` of the stage. */
function stopOnRule(
  run: PipelineRun,
  name: string,
  stage: Stage | 'execute',
  judged: JudgedNode,
  approved: (node: string) => boolean,
  next = 0,
): RunStop | null {
  run.events.push(verdictEvent({ name, package: '@svc/kernel', version: VERSION, mode: 'enforce' }, stage, judged));
  return stopOnVerdict(judged, { stage, node: name, next }, approved);
}

/** Asks a node about a payload and applies its edits if it enforces. Synchronous if the guard answers synchronously and there are few edits. */
export function askNode(
  asked: GuardedRequest,
  node: PipelineNode,
  stage: Stage,
  payload: Payload,
  env: CallEnv,
): JudgedNode | Promise<JudgedNode> {
  const seen = payload.seen(node.scope, node.guard.reads_numbers);
  const { segments } = seen;
  const judgement = judge(
    node,
    env,
    asked.abort.signal,
    (call) => {
      const answer = node.guard.check(segments, guardContext(asked, node, stage, call));
      // A guard that exceeded its time limit still holds its input.
      return asked.bytes === null ? answer : asked.bytes.during(answer);
    },
    (answer): answer is ReturnedResult => isGuardResult(answer, node.guard, stage === 'ingress'),
  );
  const enforce = (said: Judgement<ReturnedResult>): JudgedNode | Promise<JudgedNode> => {
    const steps = enforced(said, asked, node, seen, env);
    const edits = said.ok && said.result.edits.length > 0;
    return edits ? soon(steps, new Turns({ principal_id: asked.principal_id }, env.clock)) : finished(steps);
  };
  return judgement instanceof Promise ? judgement.then(enforce) : enforce(judgement);
}

/** A node's result. Its edits are applied to the payload if it enforces. */
function* enforced(
  judgement: Judgement<ReturnedResult>,
  { embedding }: GuardedRequest,
  node: PipelineNode,
  seen: Seen,
  env: CallEnv,
): Steps<JudgedNode> {
  const { duration_ms } = judgement;
  const { scanned } = seen;
  if (!judgement.ok) return failedNode(node.on_error, judgement.failure, { scanned, duration_ms });
  const { code, edits, findings, context, withheld } = judgement.result;
  const masks = judgement.result.verdict === 'sanitize' || edits.length > 0 || withheld !== undefined;
  const isRefused = masks && embedding === 'block';
  const verdict = isRefused ? 'block' : judgement.result.verdict;
  const hint = isRefused ? WOULD_MASK : judgement.result.hint;
  const applies = node.mode === 'enforce' && !isRefused;
  const valid = yield* seen.edit(edits, applies, withheld);
  if (!valid) {
    reportFailure(node, env, 'invalid_result');
    return failedNode(node.on_error, 'invalid', { scanned, duration_ms });
  }
  const added = applies ? context : undefined;
  return judgedNode({ scanned, duration_ms, verdict, code, findings, hint, sources: context?.sources, added });
}

/** Asks a node that passed before the pause to check its reservations again. It may refuse, but not edit or pause. */
async function revalidate(
  run: GuardedRequest,
  node: PipelineNode,
  stage: Stage,
  payload: Payload,
  env: CallEnv,
): Promise<JudgedNode> {
  const { segments, scanned } = payload.seen(node.scope, node.guard.reads_numbers);
  const judgement = await judge(
    node,
    env,
    run.abort.signal,
    (call) => node.guard.reservations?.revalidate(segments, guardContext(run, node, stage, call)),
    (answer): answer is ReturnedResult => isGuardResult(answer, node.guard) && isPlain(answer),
  );
  const seen = { scanned, duration_ms: judgement.duration_ms };
  if (!judgement.ok) return failedNode(node.on_error === 'allow' ? 'allow' : 'block', judgement.failure, seen);
  const { verdict, code, findings, hint } = judgement.result;
  return judgedNode({ ...seen, verdict, code, findings, hint });
}

function isPlain({ verdict, edits }: ReturnedResult): boolean {
  return (verdict === 'allow' || verdict === 'block') && edits.length === 0;
}

/** The effect of a node's verdict. A node that only observes stops nothing. */
export function stopOf(
  judged: JudgedNode,
  stage: Stage,
  { name, mode }: PipelineNode,
  index: number,
  approved: (node: string) => boolean,
): RunStop | null {
  if (mode === 'observe') return null;
  return stopOnVerdict(judged, { stage, node: name, next: index + 1 }, approved);
}
