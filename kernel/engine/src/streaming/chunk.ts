import { type ChatChunkChoice, type ChatCompletionChunk, isObject, ProviderError } from '@svc/contracts';
import { sizeOf } from './size-of.ts';

/** The fields of a delta whose text is streamed. Everything else is held until it is complete. */
export const TEXT_FIELDS = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** OpenAI's limit for `n`. */
const MAX_CHOICES = 128;
/** Of what is held of each choice until its end, and of the figures that came last: a word, and some numbers. */
const MAX_REASON_LENGTH = 1_000;
const MAX_USAGE_SIZE = 65_536;

/**
 * Providers are plugins: what the stream relies on is checked here.
 * @throws {ProviderError} `malformed`
 */
export function assertChunk(value: unknown): asserts value is ChatCompletionChunk {
  const well = isObject(value) && Array.isArray(value.choices) && areChoices(value.choices);
  if (!well || sizeOf(value.usage) > MAX_USAGE_SIZE) throw new ProviderError('malformed');
}

/** Whether a chunk brings a piece of the answer, or its end. The first often holds only the role, long before the first text. */
export function bringsAnswer({ choices }: ChatCompletionChunk): boolean {
  return choices.some(
    ({ delta, finish_reason }) =>
      finish_reason != null || Object.entries(delta).some(([field, value]) => field !== 'role' && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Each goes through the guards by itself, so their number is limited. */
function areChoices(choices: readonly unknown[]): boolean {
  return choices.length <= MAX_CHOICES && choices.every(isChoice);
}

function isChoice(choice: unknown): choice is ChatChunkChoice {
  if (!isObject(choice) || !isIndex(choice.index, MAX_CHOICES) || !isObject(choice.delta)) return false;
  const { delta, finish_reason } = choice;
  const { tool_calls } = delta;
  return (
    (finish_reason == null || (typeof finish_reason === 'string' && finish_reason.length <= MAX_REASON_LENGTH)) &&
    TEXT_FIELDS.every((field) => delta[field] == null || typeof delta[field] === 'string') &&
    (tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every((call) => isObject(call) && isIndex(call.index))))
  );
}

function isIndex(value: unknown, bound = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < bound;
}
