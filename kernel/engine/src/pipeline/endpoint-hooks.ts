import type { Endpoint, EndpointVerdict } from '@svc/contracts';
import { isEndpointVerdict } from './guard-result.ts';
import { judge } from './judge.ts';
import { callEnv, guardContext, type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import { nodesOf, type PipelineNode } from './route.ts';
import type { PipelineEnv } from './stage.ts';
import { turnedAway } from './turned-away.ts';
import { failedNode, type JudgedNode, judgedNode, reportNode, verdictEvent } from './verdict-event.ts';

/**
 * Shows an endpoint, before it is called, to the guards that want to know. `from` is the first of the route's nodes to ask.
 * @returns the first refusal, null when all let it pass
 */
export async function askEndpointHooks(
  run: PipelineRun,
  { provider, model, region }: Endpoint,
  from: number,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): Promise<Halt | null> {
  const endpoint = { provider, model, region };
  for (const [index, node] of nodesOf(run.route).entries()) {
    if (index < from || node.guard.endpoint === undefined) continue;
    const judged = await askEndpoint(run, endpoint, node, env);
    const aborted = haltOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, 'execute', judged));
    reportNode(run, node, 'execute', judged, env.clock.monotonic());
    if (node.mode === 'observe' || judged.verdict === 'allow') continue;
    const busy = turnedAway(judged, 'execute');
    if (busy !== null) return busy;
    const where = { stage: 'execute', node: node.name, code: judged.code, hint: judged.hint } as const;
    if (judged.verdict === 'block') return { kind: 'blocked', ...where };
    if (!approved(node.name)) return { kind: 'paused', index, ...where };
  }
  return null;
}

async function askEndpoint(run: PipelineRun, endpoint: Endpoint, node: PipelineNode, env: PipelineEnv): Promise<JudgedNode> {
  const judgement = await judge(
    node,
    callEnv(run, 'execute', env),
    run.abort.signal,
    (scope) => node.guard.endpoint?.(guardContext(run, node, 'ingress', scope), endpoint),
    (answer): answer is EndpointVerdict => isEndpointVerdict(answer, node.guard),
  );
  const { duration_ms } = judgement;
  const seen = { duration_ms, endpoint };
  if (!judgement.ok) return failedNode(node.on_error, judgement.failure, seen);
  const { verdict, code, hint } = judgement.result;
  return judgedNode({ ...seen, verdict, code, hint });
}
