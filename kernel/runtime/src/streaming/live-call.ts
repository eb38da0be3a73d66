import { type AnswerFrame, isProviderError, isSvcError, ProviderError, type SvcError, type TokenUsage } from '@svc/contracts';
import { CallRecord, type PipelineRun } from '@svc/kernel';
import { mayHaveCost } from '@svc/kernel/endpoints';
import type { AnswerTransport, AttemptEnd } from '@svc/kernel/ports';
import type { RouteEndpoint } from '@svc/kernel/routes';
import { knownPath } from '@svc/protocols';
import { asProviderError } from '../answers/as-provider-error.ts';
import { noRoomForAnswer } from '../answers/no-room.ts';
import type { TransportEnv } from '../answers/transport-env.ts';
import { NO_USAGE } from '../answers/usage.ts';
import type { StreamTarget } from './answer-sink.ts';
import { FrameAnswer } from './frame-answer.ts';
import type { Violation } from './guard-chain.ts';
import { UpstreamStream } from './upstream-stream.ts';

/** How the reading of an upstream's stream ended. */
type Relayed =
  | { readonly kind: 'ended' }
  | { readonly kind: 'violation' }
  | { readonly kind: 'failed'; readonly failure: ProviderError }
  /** The answer does not fit into memory. */
  | { readonly kind: 'no room'; readonly beside: 'beside others' | 'alone' }
  /** An internal error. */
  | { readonly kind: 'fault'; readonly thrown: unknown };

/** Streams the answer of one run to its caller. */
export function responseStream(caller: Omit<StreamTarget, 'tail'>, env: TransportEnv): AnswerTransport {
  const target: StreamTarget = { ...caller, tail: null };
  return {
    pauses: true,
    judges: true,
    attempt: (run, endpoint) => callLive(run, endpoint, target, env),
    get tail() {
      return target.tail;
    },
  };
}

/** Calls a model and streams the answer through the egress nodes. Records the call and its usage, even if it is cut short. */
export async function callLive(
  run: PipelineRun,
  endpoint: RouteEndpoint,
  target: StreamTarget,
  env: TransportEnv,
): Promise<AttemptEnd> {
  const answer = new FrameAnswer(run, endpoint, target, env);
  const record = new CallRecord(run, endpoint, true, env);
  const upstream = new UpstreamStream(run, endpoint, env);
  const relayed = await relay(upstream, endpoint, record, answer);
  record.received(upstream.waited_ms);
  record.left_out = answer.left_out;
  upstream.bytes.end(relayed.kind === 'ended' ? 'gathered' : 'nothing');
  const usage = upstream.accepted ? await answer.usage(relayed.kind === 'ended') : NO_USAGE;
  if (upstream.accepted) record.bill(usage);
  else if (relayed.kind === 'fault' || relayed.kind === 'no room' || (relayed.kind === 'failed' && mayHaveCost(relayed.failure)))
    run.cost = 'partial';
  switch (relayed.kind) {
    case 'fault':
      record.cut();
      await answer.settle(answer.begun);
      throw relayed.thrown;
    case 'no room': {
      record.cut();
      const refused = await answer.settle(answer.begun);
      return refused?.late ? stopped(refused) : noRoomForAnswer(relayed.beside);
    }
    case 'failed': {
      const failure = asProviderError(relayed.failure);
      record.failed(failure);
      const refused = await answer.settle(answer.begun);
      // If the refused text was already sent, the refusal takes precedence over the failure. Otherwise the text is discarded with the answer.
      if (refused?.late) return stopped(refused);
      return { kind: 'failed', failure, fallback: !answer.begun };
    }
    case 'violation': {
      if (upstream.accepted) record.cut();
      const refused = (await answer.settle(true)) ?? answer.violation;
      if (refused === null) throw new Error('a violation without a node');
      return stopped(refused);
    }
    case 'ended': {
      const unsupported = upstream.unsupported.map((path) => knownPath(path, run.protocol));
      record.answered({ finish_reason: answer.finish_reason, unsupported });
      const refused = await closed(answer, usage);
      return refused === null ? { kind: 'answered' } : stopped(refused);
    }
  }
}

/** Receives chunks until the end, a violation or a failure. */
async function relay(
  upstream: UpstreamStream,
  endpoint: RouteEndpoint,
  record: CallRecord,
  answer: FrameAnswer,
): Promise<Relayed> {
  try {
    if (answer.violation !== null) return { kind: 'violation' };
    await upstream.open(endpoint, record);
    for (;;) {
      const arrived = upstream.arrived();
      // Text that arrived together is checked together, because an upstream may send an answer in fifty thousand events.
      if (arrived === undefined && answer.waits && !(await upstream.hasNext())) await answer.flush();
      if (answer.violation !== null) return { kind: 'violation' };
      const frame = arrived ?? (await upstream.next());
      if (frame === null) break;
      const taking = take(frame, upstream, record, answer);
      const ended = taking instanceof Promise ? await taking : taking;
      if (ended !== null) return ended;
    }
    for (const frame of answer.end()) {
      const ended = await take(frame, upstream, record, answer);
      if (ended !== null) return ended;
    }
    if (!answer.isComplete) return { kind: 'failed', failure: new ProviderError('malformed') };
    await answer.endTexts();
    return { kind: 'ended' };
  } catch (thrown) {
    return await brokenOff(upstream, answer, thrown);
  } finally {
    upstream.close();
  }
}

/** Passes a frame to the answer. Synchronous if there is nothing to wait for. @returns why the frame was not taken, or null */
function take(
  frame: AnswerFrame,
  upstream: UpstreamStream,
  record: CallRecord,
  answer: FrameAnswer,
): Relayed | null | Promise<Relayed | null> {
  const turn = answer.turn();
  return turn === undefined
    ? takeNow(frame, upstream, record, answer)
    : turn.then(() => takeNow(frame, upstream, record, answer));
}

function takeNow(
  frame: AnswerFrame,
  upstream: UpstreamStream,
  record: CallRecord,
  answer: FrameAnswer,
): Relayed | null | Promise<null> {
  const { bytes } = upstream;
  const { isAnswer, isWritten, held, passing } = answer.look(frame);
  if (isAnswer) upstream.begin();
  if (isWritten) record.firstToken();
  if (held > 0) bytes.gathered(held);
  if (bytes.exceeded !== false) return { kind: 'no room', beside: bytes.exceeded };
  const taking = answer.take(frame);
  if (taking === undefined) return null;
  bytes.gathered(passing);
  return taking.then(() => {
    bytes.gathered(-passing);
    return null;
  });
}

async function brokenOff({ bytes }: UpstreamStream, answer: FrameAnswer, thrown: unknown): Promise<Relayed> {
  // Text that arrived before the failure is sent first. If sending it fails as well, the first failure is reported, unless the second is a bug.
  const flushing = isProviderError(thrown) && answer.waits ? answer.flush() : undefined;
  const failure = (await flushing?.catch((error: unknown) => (isProviderError(error) ? thrown : error))) ?? thrown;
  if (bytes.exceeded !== false) return { kind: 'no room', beside: bytes.exceeded };
  return isProviderError(failure) ? { kind: 'failed', failure } : { kind: 'fault', thrown: failure };
}

async function closed(answer: FrameAnswer, usage: TokenUsage): Promise<Violation | SvcError | null> {
  try {
    return await answer.close(usage);
  } finally {
    // The guards settle even if the end of the answer could not be sent, so that none keeps working.
    await answer.settle(false);
  }
}

function stopped(refused: Violation | SvcError): AttemptEnd {
  const stop = isSvcError(refused)
    ? ({ kind: 'failed', stage: 'egress', error: refused } as const)
    : ({ kind: 'blocked', stage: 'egress', node: refused.node, code: refused.code } as const);
  return { kind: 'stopped', stop };
}
