import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ChatUsage, TokenUsage } from '@svc/sdk';
import { chatUsage, readUsage } from '@svc/sdk/protocol';
import { isCount } from '@svc/toolkit/upstream';

/**
 * OpenAI's usage, taken from the vendor's own report if the package passes it on. Undefined if a count is missing or implausible; the gateway then
 * counts tokens itself. Some packages report 0 if the upstream reported nothing.
 */
export function usageOf(usage: LanguageModelV4Usage | undefined): ChatUsage | undefined {
  const tokens = readUsage(usage?.raw) ?? packagesOwn(usage);
  return tokens === null || tokens.input_tokens === 0 ? undefined : chatUsage(tokens);
}

function packagesOwn(usage: LanguageModelV4Usage | undefined): TokenUsage | null {
  const { total: input_tokens, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const { total: output_tokens, reasoning } = usage?.outputTokens ?? {};
  if (!isCount(input_tokens) || !isCount(output_tokens)) return null;
  return {
    input_tokens,
    output_tokens,
    cached_input_tokens: isCount(cacheRead) ? cacheRead : 0,
    ...(isCount(cacheWrite) && cacheWrite > 0 && { cache_write_5m_tokens: cacheWrite }),
    ...(isCount(reasoning) && reasoning > 0 && { reasoning_tokens: reasoning }),
    estimated: false,
  };
}
