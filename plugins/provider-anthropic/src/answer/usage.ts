import type { ChatUsage } from '@svc/sdk';
import { isCount, isObject } from '@svc/toolkit/upstream';

/**
 * A `usage` in OpenAI's shape. The API counts what it wrote to its cache and what it read from it beside `input_tokens`: the three
 * together are the prompt.
 * @returns undefined where a count makes no sense: the gateway then counts for itself
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
    prompt_tokens_details: { cached_tokens },
    ...(isCount(reasoning_tokens) && { completion_tokens_details: { reasoning_tokens } }),
  };
}
