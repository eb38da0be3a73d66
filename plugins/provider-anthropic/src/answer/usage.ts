import type { ChatUsage } from '@svc/sdk';
import { isCount, isObject } from '@svc/toolkit/upstream';

/**
 * Converts a `usage` to OpenAI's form. The API counts tokens written to and read from its cache separately from `input_tokens`: the three
 * together are the prompt. `cache_creation_tokens` is LiteLLM's name.
 * @returns undefined if a count is invalid: the gateway then counts by itself
 */
export function usageOf(usage: unknown): ChatUsage | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens, output_tokens, output_tokens_details: details } = usage;
  const written = usage.cache_creation_input_tokens ?? 0;
  const cached_tokens = usage.cache_read_input_tokens ?? 0;
  if (!isCount(input_tokens) || !isCount(output_tokens) || !isCount(written) || !isCount(cached_tokens)) return undefined;
  const prompt_tokens = input_tokens + written + cached_tokens;
  const reasoning_tokens = isObject(details) ? details.thinking_tokens : undefined;
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens, ...(written > 0 && { cache_creation_tokens: written }) },
    ...(isCount(reasoning_tokens) && { completion_tokens_details: { reasoning_tokens } }),
  };
}
