import {
  type ChatCompletion,
  type ChatRequest,
  type ProviderAnswer,
  ProviderError,
  type ProviderErrorKind,
  type RunEvent,
  type TokenUsage,
} from '../contracts/index.ts';
import { isKnownField, knownAnswer, whyUnrecordable } from '../segments/index.ts';
import { askEndpointHooks } from './endpoint-hooks.ts';
import { failureReason } from './failure-reason.ts';
import { withinLimit } from './judge.ts';
import { type Halt, haltOnAbort, type PipelineRun } from './pipeline-run.ts';
import { asProviderError, callerError } from './provider-failure.ts';
import type { RouteEndpoint } from './route.ts';
import type { PipelineEnv } from './stage.ts';
import { chatUsage, usageOf } from './usage.ts';

/**
 * The execute step: calls the route's provider, and its fallbacks after a failure that another may not have. Each is first shown to
 * the guards that want to know: who refuses the provider stops the run, a refused fallback is passed over.
 * `from` is the first of the route's nodes to ask of the provider, see {@link nodesOf}.
 */
export async function execute(
  run: PipelineRun,
  from: number,
  approved: (node: string) => boolean,
  env: PipelineEnv,
): Promise<Halt | null> {
  let attempt = 0;
  let failure: ProviderError | null = null;
  for (const endpoint of run.route.endpoints) {
    // An approval was given for the provider; nobody was asked about a fallback.
    const refused: Halt | null =
      failure === null
        ? await askEndpointHooks(run, endpoint, from, approved, env)
        : await askEndpointHooks(run, endpoint, 0, () => false, env);
    if (refused !== null && (failure === null || refused.kind === 'disconnected' || refused.kind === 'interrupted'))
      return refused;
    if (refused !== null) continue;
    attempt += 1;
    failure = await attemptCall(run, endpoint, attempt, env);
    const aborted = haltOnAbort(run);
    if (aborted !== null || failure === null) return aborted;
    if (!mayFallBack(failure.kind)) break;
  }
  return { kind: 'failed', error: callerError(failure ?? new ProviderError('configuration')), stage: 'execute' };
}

/** What another provider may not have: it was busy, away or late. What is wrong with the request is wrong everywhere. */
function mayFallBack(kind: ProviderErrorKind): boolean {
  switch (kind) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return true;
    case 'invalid_request':
    case 'configuration':
    case 'malformed':
    case 'aborted':
      return false;
  }
}

/** One upstream call, recorded and booked. @returns why it failed; null, and the run has its answer */
async function attemptCall(
  run: PipelineRun,
  endpoint: RouteEndpoint,
  attempt: number,
  env: PipelineEnv,
): Promise<ProviderError | null> {
  const started = env.clock.monotonic();
  const record = (outcome: Record<string, unknown>): void => {
    run.events.push(callEvent(endpoint, attempt, env.clock.monotonic() - started, outcome));
  };
  const failed = (failure: ProviderError): ProviderError => {
    const { provider, model } = endpoint;
    const { kind, status } = failure;
    const reason = failureReason(failure);
    env.logger.warn({
      event: 'provider_failed',
      run_id: run.run_id,
      provider,
      model,
      attempt,
      kind,
      status: status ?? null,
      reason,
    });
    record({ outcome: failure.kind, ...(failure.status === undefined ? {} : { status: failure.status }) });
    return failure;
  };
  let answer: ProviderAnswer;
  try {
    answer = await callWithDeadline(run, endpoint, attempt);
  } catch (thrown) {
    return failed(asProviderError(thrown));
  }
  const well = whyUnrecordable(answer.completion) === null;
  // What cannot be read cannot be counted, but it was paid for.
  const usage = well ? await usageOf(run.request, answer.completion) : NOTHING_COUNTED;
  run.spend.push({ endpoint: { provider: endpoint.provider, model: endpoint.model, region: endpoint.region }, usage });
  if (!well) return failed(new ProviderError('malformed'));
  const kept = run.route.egress.length > 0 ? knownAnswer(answer.completion) : answer.completion;
  // Callers know routes; which model stands behind one is in the ledger.
  run.completion = { ...kept, model: run.route.name, usage: kept.usage ?? chatUsage(usage) };
  record(answered(answer, usage));
  return null;
}

/** The deadline holds over the whole call, whatever the provider does with its signal. */
async function callWithDeadline(run: PipelineRun, endpoint: RouteEndpoint, attempt: number): Promise<ProviderAnswer> {
  const deadline = new AbortController();
  const { timeout_ms } = endpoint;
  // One signal for both reasons: AbortSignal.any keeps weak references that every garbage collection must visit.
  const { signal } = deadline;
  if (run.abort.signal.aborted) throw new ProviderError('aborted');
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

const NOTHING_COUNTED: TokenUsage = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, estimated: true };

/** Providers are plugins: what egress relies on is looked at here. */
function isCompletion(value: ChatCompletion | undefined): boolean {
  return Array.isArray(value?.choices) && value.choices.every((choice: unknown) => isChoice(choice));
}

function isChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message)) return false;
  const { tool_calls } = choice.message;
  return tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every(isObject));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
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
