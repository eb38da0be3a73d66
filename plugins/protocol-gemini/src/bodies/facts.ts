import type { JsonObject, JsonValue, TokenUsage } from '@svc/sdk';
import {
  type AnswerBody,
  type AnswerFacts,
  type FinishReason,
  finishReason,
  knownFinishReason,
  objectsIn,
  readUsage,
} from '@svc/sdk/protocol';
import { partsIn } from './parts.ts';
import { FINISH_REASONS } from './places.ts';

const OF_CHAT: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  function_call: 'STOP',
  content_filter: 'SAFETY',
};

/**
 * The `finishReason` for a server's reason. Unknown reasons are kept.
 * @throws {ProviderError} if the answer was cut off
 */
export function ownReason(said: JsonValue): JsonValue {
  const word = typeof said === 'string' && FINISH_REASONS.has(said) ? null : knownFinishReason(said);
  return word === null ? said : OF_CHAT[word];
}

export function hasCalls(candidate: JsonObject): boolean {
  return partsIn(candidate.content).some(({ functionCall }) => functionCall !== undefined);
}

/** Why an answer ended. Null if it does not say. If the prompt was blocked, there are no candidates. */
function reasonIn({ candidates, promptFeedback }: AnswerBody): string | null {
  const [first] = objectsIn(candidates);
  if (first === undefined) return promptFeedback == null ? null : 'content_filter';
  return first.finishReason == null ? null : finishReason(first.finishReason, hasCalls(first));
}

/** Token counts in the Gemini API, which reports thoughts apart from the other output. */
export function usageOf(tokens: TokenUsage): JsonObject {
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens = 0 } = tokens;
  const { input_audio_tokens, output_audio_tokens } = tokens;
  return {
    promptTokenCount: input_tokens,
    candidatesTokenCount: output_tokens - reasoning_tokens,
    totalTokenCount: input_tokens + output_tokens,
    ...(reasoning_tokens > 0 && { thoughtsTokenCount: reasoning_tokens }),
    ...(cached_input_tokens > 0 && { cachedContentTokenCount: cached_input_tokens }),
    ...(input_audio_tokens !== undefined && { promptTokensDetails: audio(input_audio_tokens) }),
    ...(output_audio_tokens !== undefined && { candidatesTokensDetails: audio(output_audio_tokens) }),
  };
}

function audio(tokenCount: number): JsonObject[] {
  return [{ modality: 'AUDIO', tokenCount }];
}

export function factsOf(answer: AnswerBody): AnswerFacts {
  return { finish_reason: reasonIn(answer), usage: readUsage(answer.usageMetadata) };
}
