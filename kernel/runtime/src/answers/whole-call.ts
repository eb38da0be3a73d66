import { type AnswerBody, isProviderError, isSvcError, ProviderError } from '@svc/contracts';
import { CallRecord, type PipelineRun } from '@svc/kernel';
import { mayHaveCost } from '@svc/kernel/endpoints';
import type { AttemptEnd } from '@svc/kernel/ports';
import { anyEnforces, type RouteEndpoint } from '@svc/kernel/routes';
import { knownPath, withoutGatewayFields } from '@svc/protocols';
import { rootPattern } from '../texts/field-pattern.ts';
import { whyUnrecordable } from '../texts/recordable.ts';
import { AnswerBytes } from './answer-bytes.ts';
import { identityOf } from './answer-head.ts';
import { asProviderError } from './as-provider-error.ts';
import { callWithDeadline } from './call-with-deadline.ts';
import { noRoomForAnswer } from './no-room.ts';
import { concealing } from './opaque-fields.ts';
import { type OutgoingRequest, outgoingRequest, returned } from './outgoing-request.ts';
import type { TransportEnv } from './transport-env.ts';
import { NO_USAGE, usageOf } from './usage.ts';

/** One upstream call for a whole answer. Records the call and its usage. */
export async function callWhole(run: PipelineRun, endpoint: RouteEndpoint, env: TransportEnv): Promise<AttemptEnd> {
  const record = new CallRecord(run, endpoint, false, env);
  const isCalled = !run.abort.signal.aborted;
  const deadline = new AbortController();
  const bytes = new AnswerBytes(run.bytes, () => deadline.abort());
  const identity = identityOf(run, env.clock);
  const { protocol } = run;
  let received: Received;
  try {
    const carriage = outgoingRequest(run, endpoint, env, 'whole');
    const { spoken, body, lost } = carriage;
    record.asks(spoken, body);
    const answer = await callWithDeadline(run, endpoint.timeouts.timeout_ms, deadline, bytes, () =>
      endpoint.instance.complete(body, record.context(spoken.id, deadline, endpoint.timeouts.timeout_ms, bytes)),
    );
    if (bytes.exceeded !== false) throw new ProviderError('aborted');
    received = { carriage, answer: spoken.readAnswer(answer.completion), unsupported: [...lost, ...answer.unsupported] };
    bytes.end('all');
  } catch (thrown) {
    bytes.end('nothing');
    if (bytes.exceeded !== false) {
      run.cost = 'partial';
      record.cut();
      return noRoomForAnswer(bytes.exceeded);
    }
    const failure = asProviderError(thrown);
    record.failed(failure);
    if (isCalled && mayHaveCost(failure)) run.cost = 'partial';
    return { kind: 'failed', failure, fallback: true };
  }
  record.received();
  const { carriage, answer, unsupported } = received;
  const { spoken } = carriage;
  const well = whyUnrecordable(answer) === null;
  record.readHead(spoken, answer);
  // An unreadable answer cannot be counted, but was billed.
  const { finish_reason, usage: reported } = well ? spoken.outcomeOf(answer) : { finish_reason: null, usage: null };
  const counting = well ? usageOf({ protocol: spoken, request: carriage.body }, answer, reported, env.count_tokens) : NO_USAGE;
  const usage = counting instanceof Promise ? await counting : counting;
  record.bill(usage);
  try {
    if (!well) throw new ProviderError('malformed');
    const own = returned(spoken.withUsage(withoutGatewayFields(answer), usage), carriage, run, identity);
    const checked = anyEnforces(run.route.egress) ? protocol.checkable(own.answer) : { answer: own.answer, left_out: [] };
    const left_out = [...own.left_out, ...checked.left_out];
    const concealed = concealing(run, endpoint, env.handles)?.all(checked.answer, rootPattern(protocol.answer)) ?? checked.answer;
    const counted = protocol.withUsage(protocol.withHead(concealed, identity), usage);
    run.completion = left_out.length === 0 ? counted : { ...counted, svc_left_out: left_out };
    record.left_out = left_out;
  } catch (thrown) {
    if (!isProviderError(thrown)) {
      record.cut();
      // An `SvcError` here would mean that the run could not be written.
      throw isSvcError(thrown) ? new Error('a bug in the gateway', { cause: thrown }) : thrown;
    }
    run.cost = 'partial';
    const failure = asProviderError(thrown);
    record.failed(failure);
    return { kind: 'failed', failure, fallback: true };
  }
  record.answered({ finish_reason, unsupported: unsupported.map((path) => knownPath(path, protocol)) });
  return { kind: 'answered' };
}

/** The result of an upstream call. */
interface Received {
  readonly carriage: OutgoingRequest;
  readonly answer: AnswerBody;
  readonly unsupported: readonly string[];
}
