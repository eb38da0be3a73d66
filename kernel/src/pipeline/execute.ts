import {
  type ChatCompletion,
  type ChatRequest,
  type EndpointVerdict,
  type ProviderAnswer,
  ProviderError,
  type RunEvent,
  type TokenUsage,
} from '../contracts/index.ts';
import { isKnownField, knownAnswer, whyUnrecordable } from '../segments/index.ts';
import { isEndpointVerdict } from './guard-result.ts';
import { judge, withinLimit } from './judge.ts';
import { guardContext, type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import { asProviderError, callerError } from './provider-failure.ts';
import { nodesOf, type PipelineNode, type RouteEndpoint } from './route.ts';
import type { PipelineEnv } from './stage.ts';
import { chatUsage, usageOf } from './usage.ts';
import { verdictEvent } from './verdict-event.ts';

/**
 * The execute step: shows the endpoint to the guards that want to know, calls the provider, books what it used.
 * `from` is the first of the route's nodes to ask, see {@link nodesOf}.
 */
export async function execute(
  run: PipelineRun,
  from: number,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): Promise<Halt | null> {
  const refused = await askEndpointHooks(run, from, approved, env);
  if (refused !== null) return refused;
  const { endpoint } = run.route;
  const started = env.clock.monotonic();
  const attempt = 1;
  const record = (outcome: Record<string, unknown>): void => {
    run.events.push(callEvent(endpoint, attempt, env.clock.monotonic() - started, outcome));
  };
  const failed = (failure: ProviderError): Halt => {
    record({ outcome: failure.kind, ...(failure.status === undefined ? {} : { status: failure.status }) });
    return haltOnAbort(run) ?? { kind: 'failed', error: callerError(failure), stage: 'execute' };
  };
  let answer: ProviderAnswer;
  try {
    answer = await callWithDeadline(run, endpoint, attempt);
  } catch (thrown) {
    return failed(asProviderError(thrown));
  }
  const usage = await usageOf(run.request, answer.completion);
  run.spend.push({ endpoint: { provider: endpoint.provider, model: endpoint.model, region: endpoint.region }, usage });
  if (whyUnrecordable(answer.completion) !== null) return failed(new ProviderError('malformed'));
  const kept = run.route.egress.length > 0 ? knownAnswer(answer.completion) : answer.completion;
  // Callers know routes; which model stands behind one is in the ledger.
  run.completion = { ...kept, model: run.route.name, usage: kept.usage ?? chatUsage(usage) };
  record(answered(answer, usage));
  return haltOnAbort(run);
}

/** The deadline holds over the whole call, whatever the provider does with its signal. */
async function callWithDeadline(run: PipelineRun, endpoint: RouteEndpoint, attempt: number): Promise<ProviderAnswer> {
  const deadline = new AbortController();
  const { timeout_ms } = endpoint;
  const signal = AbortSignal.any([deadline.signal, run.abort.signal]);
  const call = endpoint.instance.complete(upstreamRequest(run.request, endpoint.model), {
    run_id: run.run_id,
    attempt,
    signal,
    timeout_ms,
  });
  const raced = await withinLimit(call, timeout_ms, run.abort.signal);
  if (!raced.done) {
    deadline.abort();
    throw new ProviderError(run.abort.signal.aborted ? 'aborted' : 'timeout');
  }
  if (!isCompletion(raced.value.completion)) throw new ProviderError('malformed');
  return raced.value;
}

function upstreamRequest(request: ChatRequest, model: string): ChatRequest {
  const { stream: _, stream_options: __, ...rest } = request;
  return { ...rest, model };
}

/** Providers are plugins: what egress relies on is looked at here. */
function isCompletion(value: ChatCompletion | undefined): boolean {
  return Array.isArray(value?.choices) && value.choices.every(({ message }) => typeof message === 'object' && message !== null);
}

function callEvent(endpoint: RouteEndpoint, attempt: number, latency_ms: number, rest: Record<string, unknown>): RunEvent {
  const { provider, model, region } = endpoint;
  const data = { provider, model, region, attempt, latency_ms: Math.round(latency_ms), ...rest };
  return { event_type: 'provider_call', stage: 'execute', node: provider, data };
}

const FINISH_REASONS: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call', null]);

function answered({ completion, unsupported }: ProviderAnswer, usage: TokenUsage): Record<string, unknown> {
  const reason = completion.choices[0]?.finish_reason;
  // A parameter's name was written by the caller: only known ones may stand in an event.
  const names = [...new Set(unsupported.map((name) => (isKnownField(name) ? name : 'other')))];
  return {
    outcome: 'answered',
    usage,
    finish_reason: FINISH_REASONS.has(reason) ? reason : 'other',
    ...(names.length === 0 ? {} : { unsupported: names }),
  };
}

async function askEndpointHooks(
  run: PipelineRun,
  from: number,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): Promise<Halt | null> {
  for (const [index, node] of nodesOf(run.route).entries()) {
    if (index < from || node.guard.endpoint === undefined) continue;
    const judged = await askEndpoint(run, node, env);
    const aborted = haltOnAbort(run);
    if (aborted !== null) return aborted;
    run.events.push(verdictEvent(node, 'execute', judged));
    env.observer.verdict(node.name, 'execute', judged.verdict, node.mode === 'observe', judged.duration_ms);
    if (node.mode === 'observe' || judged.verdict === 'allow') continue;
    const where = { stage: 'execute', node: node.name, code: judged.code } as const;
    if (judged.verdict === 'block') return { kind: 'blocked', ...where };
    if (!approved(node.name)) return { kind: 'paused', index, ...where };
  }
  return null;
}

async function askEndpoint(run: PipelineRun, node: PipelineNode, env: PipelineEnv) {
  const { provider, model, region } = run.route.endpoint;
  const judgement = await judge(
    node,
    env.clock,
    run.abort.signal,
    (signal) => node.guard.endpoint?.(guardContext(run, node, 'ingress', signal), { provider, model, region }),
    (answer): answer is EndpointVerdict => isEndpointVerdict(answer, node.guard),
  );
  const { duration_ms } = judgement;
  const seen = { scanned: { segments: 0, characters: 0, skipped: [] }, findings: [], duration_ms };
  return judgement.ok
    ? { ...seen, verdict: judgement.result.verdict, code: judgement.result.code, failure: null }
    : { ...seen, verdict: node.on_error, code: 'SVC-NODE-001', failure: judgement.failure };
}
