import type { AnswerBody, AnswerFacts, JsonObject, TokenUsage } from '@svc/sdk';
import { isCount, objectsIn } from '@svc/sdk/protocol';
import { partsIn } from './parts.ts';

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
]);

/** `finish_reason` of the chat format. */
export function finishReason(reason: unknown, hasCalls: boolean): string {
  const known = REASONS.get(reason) ?? 'stop';
  return hasCalls && known === 'stop' ? 'tool_calls' : known;
}

export function hasCalls(candidate: JsonObject): boolean {
  return partsIn(candidate.content).some(({ functionCall }) => functionCall !== undefined);
}

/** Why an answer ended; null: it does not say. A prompt that was blocked has no candidates. */
function reasonIn({ candidates, promptFeedback }: AnswerBody): string | null {
  const [first] = objectsIn(candidates);
  if (first === undefined) return promptFeedback == null ? null : 'content_filter';
  return first.finishReason == null ? null : finishReason(first.finishReason, hasCalls(first));
}

/** The upstream's own figures; null where it gave none that can be read. */
export function tokensIn(usage: unknown): TokenUsage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const of = (name: string): unknown => Reflect.get(usage, name) ?? 0;
  const [prompt, used] = [of('promptTokenCount'), of('toolUsePromptTokenCount')];
  const [said, thought, cached] = [of('candidatesTokenCount'), of('thoughtsTokenCount'), of('cachedContentTokenCount')];
  if (!('promptTokenCount' in usage) || ![prompt, used, said, thought, cached].every(isCount)) return null;
  return {
    cached_input_tokens: Number(cached),
    estimated: false,
    input_tokens: Number(prompt) + Number(used),
    output_tokens: Number(said) + Number(thought),
  };
}

export function usageOf({ input_tokens, output_tokens, cached_input_tokens }: TokenUsage): JsonObject {
  return {
    promptTokenCount: input_tokens,
    candidatesTokenCount: output_tokens,
    totalTokenCount: input_tokens + output_tokens,
    ...(cached_input_tokens > 0 && { cachedContentTokenCount: cached_input_tokens }),
  };
}

export function factsOf(answer: AnswerBody): AnswerFacts {
  return { finish_reason: reasonIn(answer), usage: tokensIn(answer.usageMetadata) };
}
