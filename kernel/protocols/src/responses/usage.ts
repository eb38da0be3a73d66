import type { JsonObject, TokenUsage } from '@svc/contracts';

/** Token counts in the Responses API, which does not distinguish cache writes by lifetime. */
export function responsesUsage(tokens: TokenUsage): JsonObject {
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens = 0 } = tokens;
  const { cache_write_5m_tokens = 0, cache_write_1h_tokens = 0 } = tokens;
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: cached_input_tokens,
      cache_write_tokens: cache_write_5m_tokens + cache_write_1h_tokens,
    },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}
