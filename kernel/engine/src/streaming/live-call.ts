import { type ChatUsage, isProviderError, isSvcError, ProviderError, type SvcError } from '@svc/contracts';
import { mayHaveCost } from '../calls/provider-failure.ts';
import { chatUsage, NO_USAGE } from '../calls/usage.ts';
import { type AttemptEnd, noRoomForAnswer, type ResponseStream } from '../core/attempt.ts';
import { CallRecord } from '../core/call-record.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import type { RouteEndpoint } from '../core/route.ts';
import type { UpstreamEnv } from '../core/stage.ts';
import type { StreamTarget } from './frame-writer.ts';
import type { Violation } from './guard-chain.ts';
import { LiveAnswer } from './live-answer.ts';
import { UpstreamStream } from './upstream-stream.ts';
import { UsageCounter } from './usage-counter.ts';

/** How far an upstream's stream was received. */
type Relayed =
  | { readonly kind: 'ended' }
  | { readonly kind: 'violation' }
  | { readonly kind: 'failed'; readonly failure: ProviderError }
  /** The answer does not fit into memory. */
  | { readonly kind: 'no room'; readonly beside: 'beside others' | 'alone' }
  /** An internal error. */
  | { readonly kind: 'fault'; readonly thrown: unknown };

/** How the answer of one run is streamed to its caller. */
export function responseStream(caller: Omit<StreamTarget, 'tail'>): ResponseStream {
  const line: StreamTarget = { ...caller, tail: null };
  return {
    pauses: true,
    attempt: (run, endpoint, env) => callLive(run, endpoint, line, env),
    get tail() {
      return line.tail;
    },
  };
}

/** One upstream call whose answer is streamed through the egress nodes: recorded and booked, even if it is cut short. */
export async function callLive(
  run: PipelineRun,
  endpoint: RouteEndpoint,
  line: StreamTarget,
  env: UpstreamEnv,
): Promise<AttemptEnd> {
  const answer = new LiveAnswer(run, endpoint, line, env);
  const record = new CallRecord(run, endpoint, true, env);
  const upstream = new UpstreamStream(run, endpoint, env);
  const meter = new UsageCounter(env.count_tokens);
  const relayed = await relay(upstream, endpoint, meter, record, answer);
  record.received(upstream.waited_ms);
  record.left_out = answer.strategy.left_out;
  upstream.bytes.end(relayed.kind === 'ended' ? 'gathered' : 'nothing');
  const usage = upstream.accepted ? await meter.usage(run.request, relayed.kind === 'ended') : NO_USAGE;
  if (upstream.accepted) record.bill(usage);
  else if (relayed.kind === 'fault' || relayed.kind === 'no room' || (relayed.kind === 'failed' && mayHaveCost(relayed.failure)))
    run.cost = 'partial';
  switch (relayed.kind) {
    case 'fault':
      record.cut();
      await answer.settle(chatUsage(usage), answer.begun);
      throw relayed.thrown;
    case 'no room': {
      record.cut();
      const refused = await answer.settle(chatUsage(usage), answer.begun);
      return refused?.late ? stopped(refused) : noRoomForAnswer(relayed.beside);
    }
    case 'failed': {
      const failure = record.failed(relayed.failure);
      const refused = await answer.settle(chatUsage(usage), answer.begun);
      // If refused text was sent, that counts more than the failure. Otherwise it was held back, and is discarded with the answer.
      if (refused?.late) return stopped(refused);
      return { kind: 'failed', failure, fallback: !answer.begun };
    }
    case 'violation': {
      if (upstream.accepted) record.cut();
      const refused = (await answer.settle(chatUsage(usage), true)) ?? answer.strategy.violation;
      if (refused === null) throw new Error('a violation without a node');
      return stopped(refused);
    }
    case 'ended': {
      record.answered({ finish_reason: answer.finish_reason, unsupported: upstream.unsupported });
      // The provider's own figures are passed on unchanged, unless they are impossible.
      const refused = await closed(answer, chatUsage(usage), usage.estimated ? null : meter.reported);
      return refused === null ? { kind: 'answered' } : stopped(refused);
    }
  }
}

/** Receives chunks until the end, a violation or a failure. */
async function relay(
  upstream: UpstreamStream,
  endpoint: RouteEndpoint,
  meter: UsageCounter,
  record: CallRecord,
  answer: LiveAnswer,
): Promise<Relayed> {
  const { strategy } = answer;
  try {
    if (strategy.violation !== null) return { kind: 'violation' };
    await upstream.open(endpoint, record);
    for (;;) {
      // Chunks that have arrived already are checked together: an upstream may send an answer in fifty thousand events.
      if (strategy.waits && !(await upstream.hasNext())) await strategy.flush();
      if (strategy.violation !== null) return { kind: 'violation' };
      const chunk = await upstream.next();
      if (chunk === null) break;
      await answer.turn();
      if (meter.take(chunk)) record.firstToken();
      upstream.bytes.gathered(answer.heldOf(chunk));
      if (upstream.bytes.exceeded !== false) return { kind: 'no room', beside: upstream.bytes.exceeded };
      await answer.take(chunk);
    }
    return answer.seen ? { kind: 'ended' } : { kind: 'failed', failure: new ProviderError('malformed') };
  } catch (thrown) {
    if (upstream.bytes.exceeded !== false) return { kind: 'no room', beside: upstream.bytes.exceeded };
    return isProviderError(thrown) ? { kind: 'failed', failure: thrown } : { kind: 'fault', thrown };
  } finally {
    upstream.close();
  }
}

async function closed(answer: LiveAnswer, usage: ChatUsage, reported: ChatUsage | null): Promise<Violation | SvcError | null> {
  try {
    return await answer.close(usage, reported);
  } finally {
    // Even if the end of the answer could not be sent, so that no guard keeps working.
    await answer.settle(usage, false);
  }
}

function stopped(refused: Violation | SvcError): AttemptEnd {
  const stop = isSvcError(refused)
    ? ({ kind: 'failed', stage: 'egress', error: refused } as const)
    : ({ kind: 'blocked', stage: 'egress', node: refused.node, code: refused.code } as const);
  return { kind: 'stopped', stop };
}
