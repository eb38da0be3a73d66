import { type ChatUsage, isObject, type JsonObject } from '@svc/sdk';
import { isCount } from '@svc/sdk/protocol';
import { tokensIn } from '../bodies/facts.ts';

export function usageToChat(usage: unknown): ChatUsage | undefined {
  const tokens = tokensIn(usage);
  if (tokens === null) return undefined;
  const { input_tokens, output_tokens, cached_input_tokens } = tokens;
  const thought = isObject(usage) ? usage.thoughtsTokenCount : undefined;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cached_input_tokens },
    ...(isCount(thought) && { completion_tokens_details: { reasoning_tokens: thought } }),
  };
}

export function usageFromChat(usage: ChatUsage | null | undefined): JsonObject {
  const prompt = usage?.prompt_tokens ?? 0;
  const completion = usage?.completion_tokens ?? 0;
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  const details = usage?.completion_tokens_details;
  const thought = isObject(details) && isCount(details.reasoning_tokens) ? Math.min(details.reasoning_tokens, completion) : 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thought,
    totalTokenCount: prompt + completion,
    ...(thought > 0 && { thoughtsTokenCount: thought }),
    ...(isCount(cached) && cached > 0 && { cachedContentTokenCount: cached }),
  };
}
