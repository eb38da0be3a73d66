import {
  type AnswerBody,
  type AnswerFacts,
  type AnswerFrame,
  type AnswerIdentity,
  isObject,
  type JsonObject,
  type TokenUsage,
} from '@svc/contracts';
import { knownFinishReason } from '../common/finish-reason.ts';
import { withoutGatewayFields } from '../common/gateway-fields.ts';
import { nameIn, numberIn, objectsIn } from '../common/json-shapes.ts';
import { malformed } from '../upstream-error/index.ts';
import { readUsage } from '../usage/read-usage.ts';
import { failureIn } from './failure.ts';
import { responsesUsage } from './usage.ts';
import { INCOMPLETE_REASONS } from './vocabulary.ts';

/** @throws {ProviderError} `malformed`, or the error of a failed response */
export function readAnswer(value: unknown): AnswerBody {
  if (!isObject(value)) throw malformed('not a response');
  if (value.object !== 'response') throw value.error == null ? malformed('not a response') : failureIn(value.error);
  if (value.status === 'failed') throw failureIn(value.error);
  const response = ended(value);
  if (response.status !== 'completed' && response.status !== 'incomplete') throw malformed('a response that has not ended');
  if (!Array.isArray(response.output) || !response.output.every(isObject)) throw malformed('a response without its output');
  return response;
}

export function outcomeOf({ status, incomplete_details, output, usage }: AnswerBody): AnswerFacts {
  const calls = objectsIn(output).some(({ type }) => type === 'function_call' || type === 'custom_tool_call');
  return { finish_reason: finishOf(status, incomplete_details, calls), usage: readUsage(usage) };
}

/** Why a response ended, in the chat format's terms. Null if it has not ended. */
export function finishOf(status: unknown, details: unknown, hasCalls: boolean): string | null {
  if (status === 'completed') return hasCalls ? 'tool_calls' : 'stop';
  if (status !== 'incomplete') return null;
  return isObject(details) && knownFinishReason(details.reason) === 'content_filter' ? 'content_filter' : 'length';
}

/** The status of a response whose last frame has this type. */
export function statusAtEnd(type: string, { status }: JsonObject): string {
  return status === 'incomplete' ? status : type.slice('response.'.length);
}

/** Completes the status and reason of a response that has ended. */
export function ended<Response extends AnswerBody | JsonObject>(response: Response): Response {
  const { status, incomplete_details: details } = response;
  if (!isObject(details) || details.reason == null) return status == null ? { ...response, status: 'completed' } : response;
  const word = INCOMPLETE_REASONS.has(nameIn(details.reason)) ? null : knownFinishReason(details.reason);
  if (status != null && word === null) return response;
  const own = word === 'content_filter' ? 'content_filter' : 'max_output_tokens';
  const reason = word === null ? details.reason : own;
  return { ...response, status: status ?? 'incomplete', incomplete_details: { ...details, reason } };
}

export function withUsage(answer: AnswerBody, tokens: TokenUsage): AnswerBody {
  return readUsage(answer.usage) === null ? { ...answer, usage: responsesUsage(tokens) } : answer;
}

/** Sets the gateway's own id on an answer, or on the answer in a frame. */
export function withHead<T extends AnswerBody | AnswerFrame>(answer: T, identity: AnswerIdentity): T {
  const { response } = answer;
  const within = isObject(response) ? { ...answer, response: headed(withoutGatewayFields(response), identity) } : answer;
  return answer.object === 'response' ? headed(within, identity) : within;
}

function headed<T extends AnswerBody>(answer: T, { id, created, model, continues, isKept }: AnswerIdentity): T {
  const ended = endOf(answer, created);
  return {
    ...answer,
    id: `resp_${id}`,
    created_at: created,
    model,
    ...(ended !== undefined && { completed_at: ended }),
    ...(continues !== undefined && { previous_response_id: `resp_${continues}` }),
    // The caller's `store` is about the gateway; whether the vendor stores the response does not matter.
    ...(isKept !== undefined && 'store' in answer && { store: isKept }),
  };
}

/** The end time: the start plus the duration that the upstream reported. Undefined if it reported none. */
function endOf({ created_at, completed_at }: AnswerBody, created: number): number | null | undefined {
  if (completed_at == null) return completed_at;
  const seconds = numberIn(completed_at) - numberIn(created_at);
  return seconds >= 0 && seconds < 1e5 ? created + Math.floor(seconds) : null;
}

/** The text format that a request asks for, or null. */
export function formatOf(text: unknown): JsonObject | null {
  return isObject(text) && isObject(text.format) ? text.format : null;
}
