import { type Attributes, type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { CallReport, NodeReport, RunReport } from '@svc/kernel/observing';

const propagator = new W3CTraceContextPropagator();
const fromRecord = {
  get: (carrier: Record<string, string>, key: string) => carrier[key],
  keys: (carrier: Record<string, string>) => Object.keys(carrier),
};

/**
 * Makes the spans of a settled run: one for the run, with one for each verdict and each upstream attempt. Spans of attempts follow OpenTelemetry's
 * semantic conventions for generative AI (client inference, version 1.44). Spans contain only names, codes and numbers.
 * @param typeOf returns the type of a configured provider, which the conventions call its name
 */
export function recordRun(tracer: Tracer, report: RunReport, typeOf: (provider: string) => string): void {
  const { started_at, duration_ms, traceparent } = report;
  const options = { kind: SpanKind.SERVER, startTime: started_at, attributes: attributesOfRun(report) };
  const span = tracer.startSpan(`run ${report.route}`, options, parentOf(traceparent));
  // If a span is not sampled, its children are not sampled either.
  if (!span.isRecording()) return;
  if (report.status === 'error') span.setStatus({ code: SpanStatusCode.ERROR });
  const within = trace.setSpan(ROOT_CONTEXT, span);
  for (const node of report.nodes) recordVerdict(tracer, node, started_at, within);
  for (const call of report.calls) recordCall(tracer, call, report, within, typeOf);
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
  typeOf: (provider: string) => string,
): void {
  const start = began + call.started_ms;
  const conversation = session === null ? {} : { 'gen_ai.conversation.id': session };
  const attributes = { ...attributesOfCall(call, typeOf(call.provider)), ...conversation };
  const span = tracer.startSpan(
    `${call.operation} ${call.model}`,
    { kind: SpanKind.CLIENT, startTime: start, attributes },
    within,
  );
  if (isFailure(call.outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(start + call.duration_ms);
}

function attributesOfCall(call: CallReport, type: string): Attributes {
  const { operation, provider, model, region, attempt, outcome, streamed, first_token_ms, usage, finish_reason } = call;
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': type,
    'gen_ai.request.model': model,
    ...(streamed ? { 'gen_ai.request.stream': true } : {}),
    ...(first_token_ms === null ? {} : { 'gen_ai.response.time_to_first_chunk': first_token_ms / 1000 }),
    ...(finish_reason === null ? {} : { 'gen_ai.response.finish_reasons': [finish_reason] }),
    ...(usage === null
      ? {}
      : {
          'gen_ai.usage.input_tokens': usage.input_tokens,
          'gen_ai.usage.output_tokens': usage.output_tokens,
          'gen_ai.usage.cache_read.input_tokens': usage.cached_input_tokens,
          'svc.usage_estimated': usage.estimated,
        }),
    ...(isFailure(outcome) ? { 'error.type': outcome } : {}),
    'svc.provider': provider,
    'svc.attempt': attempt,
    ...(region === null ? {} : { 'svc.region': region }),
  };
}

/** A call that the gateway itself ended is not a failure. */
function isFailure(outcome: CallReport['outcome']): boolean {
  return outcome !== 'answered' && outcome !== 'cut' && outcome !== 'skipped';
}
