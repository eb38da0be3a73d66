import { type Attributes, type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestParameters } from '@svc/contracts';
import type { CallReport, NodeReport, RunReport } from '@svc/kernel/observing';
import type { Upstream } from './upstream.ts';

/** The version of OpenTelemetry's conventions for generative AI that spans of attempts follow. */
export const GEN_AI_SCHEMA = 'https://opentelemetry.io/schemas/gen-ai/1.42.0';

const propagator = new W3CTraceContextPropagator();
const fromRecord = {
  get: (carrier: Record<string, string>, key: string) => carrier[key],
  keys: (carrier: Record<string, string>) => Object.keys(carrier),
};

/** Types of providers that have another name in the conventions. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([['gemini', 'gcp.gemini']]);
/** Only these parameters are reported: a protocol plugin may return more than the contract names. */
const PARAMETERS: Readonly<Record<keyof RequestParameters, string>> = {
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  top_k: 'gen_ai.request.top_k',
  frequency_penalty: 'gen_ai.request.frequency_penalty',
  presence_penalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
  reasoning_level: 'gen_ai.request.reasoning.level',
};

/**
 * Makes the spans of a settled run: one for the run, with one for each verdict and each upstream attempt. Spans of attempts follow OpenTelemetry's
 * semantic conventions for generative AI ({@link GEN_AI_SCHEMA}). Spans contain only names, codes and numbers.
 * @param upstreamOf returns what the configuration says about a provider
 */
export function recordRun(tracer: Tracer, report: RunReport, upstreamOf: (provider: string) => Upstream): void {
  const { started_at, duration_ms, traceparent } = report;
  const options = { kind: SpanKind.SERVER, startTime: started_at, attributes: attributesOfRun(report) };
  const span = tracer.startSpan(`run ${report.route}`, options, parentOf(traceparent));
  // If a span is not sampled, its children are not sampled either.
  if (!span.isRecording()) return;
  if (report.status === 'error') span.setStatus({ code: SpanStatusCode.ERROR });
  const within = trace.setSpan(ROOT_CONTEXT, span);
  for (const node of report.nodes) recordVerdict(tracer, node, started_at, within);
  for (const call of report.calls) recordCall(tracer, call, report, within, upstreamOf);
  span.end(started_at + duration_ms);
}

/** The caller's trace context. Empty if it is malformed. */
function parentOf(traceparent: string | null): Context {
  return traceparent === null ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, { traceparent }, fromRecord);
}

function attributesOfRun({ run_id, route, status, streamed, calls, caller: { session, client, user } }: RunReport): Attributes {
  const base = {
    'svc.run_id': run_id,
    'svc.route': route,
    'svc.status': status,
    'svc.streamed': streamed,
    ...(session !== null && { 'session.id': session }),
    ...(client !== null && { 'user_agent.name': client }),
    ...(user !== null && { 'user.hash': user }),
  };
  if (status !== 'error') return base;
  const last = calls.at(-1)?.outcome;
  // `_OTHER` is the conventions' value for an error without a name.
  return { ...base, 'error.type': last !== undefined && isFailure(last) ? last : '_OTHER' };
}

function recordVerdict(tracer: Tracer, report: NodeReport, began: number, within: Context): void {
  const { node, stage, verdict, observed, started_ms, duration_ms } = report;
  const attributes = { 'svc.node': node, 'svc.stage': stage, 'svc.verdict': verdict, 'svc.observed': observed };
  tracer
    .startSpan(`guard ${node}`, { kind: SpanKind.INTERNAL, startTime: began + started_ms, attributes }, within)
    .end(began + started_ms + duration_ms);
}

function recordCall(
  tracer: Tracer,
  call: CallReport,
  { started_at: began, caller: { session } }: RunReport,
  within: Context,
  upstreamOf: (provider: string) => Upstream,
): void {
  const start = began + call.started_ms;
  const conversation = session === null ? {} : { 'gen_ai.conversation.id': session };
  const attributes = { ...attributesOfCall(call, upstreamOf(call.provider)), ...conversation };
  const span = tracer.startSpan(
    `${call.operation} ${call.model}`,
    { kind: SpanKind.CLIENT, startTime: start, attributes },
    within,
  );
  if (isFailure(call.outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(start + call.duration_ms);
}

function attributesOfCall(call: CallReport, { type, server }: Upstream): Attributes {
  const { operation, provider, model, region, attempt, outcome, streamed, first_token_ms, finish_reason, response } = call;
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': WELL_KNOWN.get(type) ?? type,
    'gen_ai.request.model': model,
    ...(server !== null && { 'server.address': server.address, 'server.port': server.port }),
    ...(streamed && { 'gen_ai.request.stream': true }),
    ...attributesOfRequest(call),
    ...(response.id !== null && { 'gen_ai.response.id': response.id }),
    ...(response.model !== null && { 'gen_ai.response.model': response.model }),
    ...(first_token_ms !== null && { 'gen_ai.response.time_to_first_chunk': first_token_ms / 1000 }),
    ...(finish_reason !== null && { 'gen_ai.response.finish_reasons': [finish_reason] }),
    ...attributesOfUsage(call),
    ...(isFailure(outcome) && { 'error.type': outcome }),
    'svc.provider': provider,
    'svc.attempt': attempt,
    ...(region !== null && { 'svc.region': region }),
  };
}

function attributesOfRequest({ request }: CallReport): Attributes {
  if (request === null) return {};
  const { answers, max_output_tokens, wantsJson } = request;
  const parameters = Object.entries(PARAMETERS).flatMap(([name, attribute]) => {
    const value: unknown = Reflect.get(request, name);
    return value === undefined ? [] : [[attribute, value]];
  });
  return {
    ...Object.fromEntries(parameters),
    ...(answers !== 1 && { 'gen_ai.request.choice.count': answers }),
    ...(max_output_tokens !== null && { 'gen_ai.request.max_tokens': max_output_tokens }),
    ...(wantsJson && { 'gen_ai.output.type': 'json' }),
  };
}

function attributesOfUsage({ usage }: CallReport): Attributes {
  if (usage === null) return {};
  const { cache_write_5m_tokens: minutes, cache_write_1h_tokens: hour, reasoning_tokens } = usage;
  const written = minutes === undefined && hour === undefined ? undefined : (minutes ?? 0) + (hour ?? 0);
  const counts = {
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cached_input_tokens,
    'gen_ai.usage.cache_write.input_tokens': written,
    'gen_ai.usage.reasoning.output_tokens': reasoning_tokens,
    'gen_ai.usage.audio.input_tokens': usage.input_audio_tokens,
    'gen_ai.usage.audio.output_tokens': usage.output_audio_tokens,
  };
  const reported = Object.entries(counts).filter(([, count]) => count !== undefined);
  return { ...Object.fromEntries(reported), 'svc.usage_estimated': usage.estimated };
}

/** A call that the gateway itself ended is not a failure. */
function isFailure(outcome: CallReport['outcome']): boolean {
  return outcome !== 'answered' && outcome !== 'cut' && outcome !== 'skipped';
}
