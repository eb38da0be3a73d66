import type { TokenUsage } from '@svc/sdk';
import {
  type AnswerBody,
  type AnswerFrame,
  type AnswerIdentity,
  malformed,
  objectsIn,
  readUsage,
  reportedError,
} from '@svc/sdk/protocol';
import { ownReason, usageOf } from './facts.ts';
import { isText, partsIn } from './parts.ts';
import { unsigned } from './request.ts';

/** @throws {ProviderError} the error that the server reports in the value, or `malformed` if the value is not an answer */
export function readAnswer(value: unknown): AnswerBody {
  if (typeof value !== 'object' || value === null) throw malformed('not an answer');
  const answer = value as AnswerBody;
  if (answer.error != null) throw reportedError(answer.error as never);
  if (answer.candidates === undefined && answer.promptFeedback !== undefined) return answer;
  if (!Array.isArray(answer.candidates) || objectsIn(answer.candidates).length < answer.candidates.length)
    throw malformed('an answer without candidates');
  for (const candidate of objectsIn(answer.candidates))
    if (candidate.finishReason != null) candidate.finishReason = ownReason(candidate.finishReason);
  return answer;
}

/**
 * Reads an answer that was sent as a whole, so it has ended even without a finish reason.
 * @throws {ProviderError} see {@link readAnswer}
 */
export function readWhole(value: unknown): AnswerBody {
  const answer = readAnswer(value);
  for (const candidate of objectsIn(answer.candidates)) candidate.finishReason ??= 'STOP';
  return answer;
}

export function textOf({ candidates }: AnswerBody): string {
  const [first] = objectsIn(candidates);
  return partsIn(first?.content)
    .map((part) => (isText(part) && part.thought !== true ? part.text : ''))
    .join('');
}

export function writtenIn({ candidates }: AnswerBody): unknown {
  const written = objectsIn(candidates).flatMap(({ content }) => partsIn(content).map(unsigned));
  return written.length === 0 ? null : written;
}

/** The field that repeats the text token by token. */
const REPEATS = 'logprobsResult';

/** Drops repetitions of the text that guards cannot read. */
export function checkable<T extends AnswerBody | AnswerFrame>(answer: T): { answer: T; left_out: readonly string[] } {
  const candidates = objectsIn(answer.candidates);
  if (!candidates.some((candidate) => REPEATS in candidate)) return { answer, left_out: [] };
  const kept = candidates.map(({ [REPEATS]: _, ...candidate }) => candidate);
  return { answer: { ...answer, candidates: kept }, left_out: [`candidates.${REPEATS}`] };
}

export function withUsage(answer: AnswerBody, usage: TokenUsage): AnswerBody {
  return readUsage(answer.usageMetadata) === null ? { ...answer, usageMetadata: usageOf(usage) } : answer;
}

export function withHead<T extends AnswerBody | AnswerFrame>(answer: T, { id, model }: AnswerIdentity): T {
  return { ...answer, modelVersion: model, responseId: id };
}
