import type { Endpoint, EndpointVerdict } from '@svc/contracts';
import { callEnv } from '../calls/call-env.ts';
import { guardContext } from '../calls/guard-context.ts';
import { isEndpointVerdict } from '../calls/guard-result.ts';
import { endpointOf } from '../endpoints/order.ts';
import { judge } from './judge.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { nodesOf, type PipelineNode } from './route.ts';
import { type RunStop, stopOnAbort, stopOnVerdict } from './run-stop.ts';
import type { PipelineEnv } from './stage.ts';
import { failedNode, type JudgedNode, judgedNode, reportNode, skipNode, verdictEvent } from './verdict-event.ts';

/**
 * Calls the `endpoint` hooks of guards before an endpoint is called. `first`: index of the first node of the route to ask.
 * @returns the first refusal; null if there is none
 */
export async function askEndpointHooks(
  run: PipelineRun,
  at: Endpoint,
  { first, approved }: { readonly first: number; readonly approved: (node: string) => boolean },
  env: PipelineEnv,
): Promise<RunStop | null> {
  const endpoint = endpointOf(at);
  for (const [index, node] of nodesOf(run.route).entries()) {
    if (index < first || node.guard.endpoint === undefined) continue;
    if (skipNode(node, 'execute', run.events, env.policy)) continue;
    const judged = await askEndpoint(run, endpoint, node, env);
    const aborted = stopOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, 'execute', judged));
    reportNode(run, node, 'execute', judged, env.clock.monotonic());
    if (node.mode === 'observe' || judged.verdict === 'allow') continue;
    const stop = stopOnVerdict(judged, { stage: 'execute', node: node.name, next: index + 1 }, approved);
    if (stop !== null) return stop.kind === 'paused' ? { ...stop, endpoint } : stop;
  }
  return null;
}

async function askEndpoint(run: PipelineRun, endpoint: Endpoint, node: PipelineNode, env: PipelineEnv): Promise<JudgedNode> {
  const judgement = await judge(
    node,
    callEnv(run, 'execute', env),
    run.abort.signal,
    (call) => node.guard.endpoint?.(guardContext(run, node, 'ingress', call), endpoint),
    (answer): answer is EndpointVerdict => isEndpointVerdict(answer, node.guard),
  );
  const { duration_ms } = judgement;
  const seen = { duration_ms, endpoint };
  if (!judgement.ok) return failedNode(node.on_error, judgement.failure, seen);
  const { verdict, code, hint } = judgement.result;
  return judgedNode({ ...seen, verdict, code, hint });
}
