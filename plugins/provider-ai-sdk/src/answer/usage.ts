import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ChatUsage } from '@svc/sdk';
import { isCount } from '@svc/toolkit/upstream';

/**
 * OpenAI's usage. Undefined if a count is missing or makes no sense: the gateway then counts by itself. Some packages say 0 where the upstream
 * has said nothing.
 */
export function usageOf(usage: LanguageModelV4Usage | undefined): ChatUsage | undefined {
  const { total: prompt_tokens, cacheRead } = usage?.inputTokens ?? {};
  const { total: completion_tokens, reasoning } = usage?.outputTokens ?? {};
  if (!isCount(prompt_tokens) || !isCount(completion_tokens)) return undefined;
  if (prompt_tokens === 0) return undefined;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...(isCount(cacheRead) && { prompt_tokens_details: { cached_tokens: cacheRead } }),
    ...(isCount(reasoning) && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
