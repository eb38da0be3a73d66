import { isProviderError, isSvcError, ProviderError, type SvcError } from '../contracts/index.ts';
import {
  type AttemptEnd,
  CallRecord,
  chatUsage,
  type PipelineEnv,
  type PipelineRun,
  type RouteEndpoint,
} from '../pipeline/index.ts';
import type { AnswerLine } from './frame-writer.ts';
import type { Violation } from './guard-chain.ts';
import { LiveAnswer } from './live-answer.ts';
import { OutputMeter } from './output-meter.ts';
import { UpstreamStream } from './upstream-stream.ts';

/**
 * One upstream call whose answer leaves as it comes, through the egress nodes: recorded and booked, also where it is cut short.
 * @throws {SvcError} SVC-STORE-001 where the run could not be put on disk before its first frame
 */
export async function callLive(
  run: PipelineRun,
  endpoint: RouteEndpoint,
  attempt: number,
  line: AnswerLine,
  env: PipelineEnv,
): Promise<AttemptEnd> {
  const answer = new LiveAnswer(run, line, env);
  const record = new CallRecord(run, endpoint, attempt, true, env);
  const upstream = new UpstreamStream(run, endpoint, env);
  const meter = new OutputMeter();
  // Written while the upstream works; nothing leaves before.
  line.stored().catch(() => undefined);
  const failure = answer.violation === null ? await relay(upstream, endpoint, attempt, meter, record, answer) : null;
  record.waited(upstream.waited_ms);
  const usage = await meter.usage(run.request);
  const told = meter.reported ?? chatUsage(usage);
  if (upstream.accepted) record.bill(usage);
  if (failure !== null) {
    const failed = record.failed(failure);
    if (answer.begun) await answer.settle(told);
    return { kind: 'failed', failure: failed, fallback: !answer.begun };
  }
  if (answer.violation !== null) {
    if (upstream.accepted) record.cut();
    return halted((await answer.settle(told)) ?? answer.violation);
  }
  record.answered({ finish_reason: answer.finish_reason, unsupported: upstream.unsupported });
  const refused = await answer.close(told, meter.reported);
  return refused === null ? { kind: 'answered' } : halted(refused);
}

/** Takes chunk after chunk until the end, a violation or a failure. @returns the failure */
async function relay(
  upstream: UpstreamStream,
  endpoint: RouteEndpoint,
  attempt: number,
  meter: OutputMeter,
  record: CallRecord,
  answer: LiveAnswer,
): Promise<ProviderError | null> {
  try {
    await upstream.open(endpoint, attempt);
    for (let chunk = await upstream.next(); chunk !== null; chunk = await upstream.next()) {
      if (meter.take(chunk)) record.firstToken();
      await answer.take(chunk);
      if (answer.violation !== null) return null;
    }
    return answer.seen ? null : new ProviderError('malformed');
  } catch (thrown) {
    if (!isProviderError(thrown)) throw thrown;
    return thrown;
  } finally {
    upstream.leave();
  }
}

function halted(refused: Violation | SvcError): AttemptEnd {
  const halt = isSvcError(refused)
    ? ({ kind: 'failed', stage: 'egress', error: refused } as const)
    : ({ kind: 'blocked', stage: 'egress', node: refused.node, code: refused.code } as const);
  return { kind: 'halted', halt };
}
