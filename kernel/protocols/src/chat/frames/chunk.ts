import { type ChatChunkChoice, type ChatCompletionChunk, isObject } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';

/** OpenAI's limit for `n`. */
const MAX_CHOICES = 128;
/** Maximum index of a tool call or other item. A longer number could hide text that guards must read. */
export const MAX_INDEX = 1_000_000;
/** A reason is one word, and usage is a few numbers. */
const MAX_REASON_LENGTH = 1_000;
const MAX_USAGE_LENGTH = 65_536;
const TEXTS = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;

/**
 * Checks those fields of a chunk that the gateway reads, because chunks come from upstreams and plugins.
 * @throws {ProviderError} `malformed`
 */
export function assertChunk(value: object): asserts value is ChatCompletionChunk {
  const { choices, usage } = value as Partial<ChatCompletionChunk>;
  const isWell = Array.isArray(choices) && choices.length <= MAX_CHOICES && choices.every(isChoice);
  if (!isWell) throw malformed('not a chat completion chunk');
  if (usage != null && JSON.stringify(usage).length > MAX_USAGE_LENGTH) throw malformed('a usage object that is too large');
}

function isChoice(choice: unknown): choice is ChatChunkChoice {
  if (!isObject(choice) || !isIndex(choice.index, MAX_CHOICES) || !isObject(choice.delta)) return false;
  const { delta, finish_reason } = choice;
  const { tool_calls } = delta;
  return (
    (finish_reason == null || (typeof finish_reason === 'string' && finish_reason.length <= MAX_REASON_LENGTH)) &&
    TEXTS.every((field) => delta[field] == null || typeof delta[field] === 'string') &&
    (tool_calls == null ||
      (Array.isArray(tool_calls) && tool_calls.every((call) => isObject(call) && isIndex(call.index, MAX_INDEX))))
  );
}

export function isIndex(value: unknown, bound: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < bound;
}
