import { type CallContext, type ChatCompletion, isObject, type ProviderAnswer, ProviderError, withTimeout } from '@svc/contracts';
import { AnswerBytes } from '../calls/answer-bytes.ts';
import { answerHead } from '../calls/answer-head.ts';
import { concealing, upstreamRequest } from '../calls/opaque-fields.ts';
import { mayHaveCost } from '../calls/provider-failure.ts';
import { chatUsage, NO_USAGE, usageOf } from '../calls/usage.ts';
import { knownAnswer, whyUnrecordable, withoutOurs } from '../segments/index.ts';
import { type AttemptEnd, noRoomForAnswer } from './attempt.ts';
import { CallRecord } from './call-record.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { anyEnforces, type RouteEndpoint } from './route.ts';
import type { UpstreamEnv } from './stage.ts';

/** One upstream call for a whole answer, recorded and booked. */
export async function callWhole(run: PipelineRun, endpoint: RouteEndpoint, env: UpstreamEnv): Promise<AttemptEnd> {
  const record = new CallRecord(run, endpoint, false, env);
  const asked = !run.abort.signal.aborted;
  const deadline = new AbortController();
  const bytes = new AnswerBytes(run.bytes, () => deadline.abort());
  let answer: ProviderAnswer;
  try {
    const request = upstreamRequest(run, endpoint, env.handles);
    answer = await callWithDeadline(run, endpoint, record, deadline, bytes, (context) =>
      endpoint.instance.complete(request, context),
    );
    if (!isCompletion(answer.completion)) throw new ProviderError('malformed');
    if (bytes.exceeded !== false) throw new ProviderError('aborted');
    bytes.end('all');
  } catch (thrown) {
    bytes.end('nothing');
    if (bytes.exceeded !== false) {
      run.cost = 'partial';
      record.cut();
      return noRoomForAnswer(bytes.exceeded);
    }
    const failure = record.failed(thrown);
    if (asked && mayHaveCost(failure)) run.cost = 'partial';
    return { kind: 'failed', failure, fallback: true };
  }
  record.received();
  const well = whyUnrecordable(answer.completion) === null;
  // An answer that cannot be read cannot be counted, but it was billed.
  const counting = well ? usageOf(run.request, answer.completion, env.count_tokens) : NO_USAGE;
  const usage = counting instanceof Promise ? await counting : counting;
  record.bill(usage);
  if (!well) {
    run.cost = 'partial';
    return { kind: 'failed', failure: record.failed(new ProviderError('malformed')), fallback: true };
  }
  const kept = anyEnforces(run.route.egress) ? knownAnswer(answer.completion) : withoutOurs(answer.completion);
  const conceal = concealing(run, endpoint, env.handles);
  run.completion = {
    ...kept,
    ...answerHead(run, env.clock),
    object: 'chat.completion',
    choices: kept.choices.map((choice) => ({ ...choice, message: conceal(choice.message) })),
    usage: kept.usage ?? chatUsage(usage),
  };
  record.left_out = kept.svc_left_out ?? [];
  record.answered({ finish_reason: answer.completion.choices[0]?.finish_reason, unsupported: answer.unsupported });
  return { kind: 'answered' };
}

/** The deadline is for the whole call, whatever the provider does with its signal. */
export function callWithDeadline<T>(
  run: PipelineRun,
  endpoint: RouteEndpoint,
  record: CallRecord,
  deadline: AbortController,
  bytes: AnswerBytes,
  ask: (context: CallContext) => Promise<T>,
): Promise<T> {
  const { timeout_ms } = endpoint.timeouts;
  if (run.abort.signal.aborted) throw new ProviderError('aborted');
  // One signal for all reasons: AbortSignal.any keeps weak references that every garbage collection must visit.
  const call = ask(record.context(deadline, timeout_ms, bytes));
  return withTimeout(bytes.during(call), timeout_ms, run.abort.signal).then((raced) => {
    if (raced.done) return raced.value;
    deadline.abort();
    throw new ProviderError(run.abort.signal.aborted ? 'aborted' : 'timeout');
  });
}

/** Providers are plugins: what egress relies on is checked here. */
function isCompletion(value: ChatCompletion | undefined): boolean {
  return Array.isArray(value?.choices) && value.choices.every((choice: unknown) => isChoice(choice));
}

function isChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message)) return false;
  const { tool_calls } = choice.message;
  return tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every(isObject));
}
