import { type ChatUsage, isObject, type JsonObject } from '@svc/contracts';
import { isCount } from '../../common/count.ts';

/** Usage as the chat format counts it; null: there is none that can be read. */
export function usageToChat(usage: unknown): ChatUsage | null {
  if (!isObject(usage)) return null;
  const { input_tokens, output_tokens, total_tokens, input_tokens_details: read, output_tokens_details: written } = usage;
  if (!isCount(input_tokens) || !isCount(output_tokens)) return null;
  const cached = isObject(read) && isCount(read.cached_tokens) ? Math.min(read.cached_tokens, input_tokens) : 0;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: isCount(total_tokens) ? total_tokens : input_tokens + output_tokens,
    ...(isObject(read) && {
      prompt_tokens_details: {
        cached_tokens: cached,
        ...(isCount(read.cache_write_tokens) && { cache_creation_tokens: read.cache_write_tokens }),
      },
    }),
    ...(isObject(written) && {
      completion_tokens_details: { reasoning_tokens: isCount(written.reasoning_tokens) ? written.reasoning_tokens : 0 },
    }),
  };
}

export function usageFromChat({ prompt_tokens, completion_tokens, total_tokens, ...details }: ChatUsage): JsonObject {
  const { prompt_tokens_details: read, completion_tokens_details: written } = details;
  const cache_write_tokens = read?.cache_creation_tokens;
  const reasoning_tokens = isObject(written) && typeof written.reasoning_tokens === 'number' ? written.reasoning_tokens : 0;
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: {
      cached_tokens: read?.cached_tokens ?? 0,
      cache_write_tokens: typeof cache_write_tokens === 'number' ? cache_write_tokens : 0,
    },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens,
  };
}
