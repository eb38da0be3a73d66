import { type ChatUsage, isObject, type JsonObject, type TokenUsage } from '@svc/contracts';
import { NO_TOKENS, readUsage } from '../usage/read-usage.ts';

/** Token counts in the Messages API, which reports cached tokens apart from the input. */
export function messagesUsage(tokens: TokenUsage): JsonObject {
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, web_searches } = tokens;
  const { cache_write_5m_tokens = 0, cache_write_1h_tokens = 0 } = tokens;
  const written = cache_write_5m_tokens + cache_write_1h_tokens;
  return {
    input_tokens: Math.max(input_tokens - cached_input_tokens - written, 0),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached_input_tokens,
    ...(written > 0 && {
      cache_creation: {
        ephemeral_5m_input_tokens: cache_write_5m_tokens,
        ephemeral_1h_input_tokens: cache_write_1h_tokens,
      },
    }),
    output_tokens,
    ...(reasoning_tokens !== undefined && { output_tokens_details: { thinking_tokens: reasoning_tokens } }),
    ...(web_searches !== undefined && { server_tool_use: { web_search_requests: web_searches } }),
  };
}

/** Converts OpenAI's `usage`. The Messages API always has usage, so missing counts are zero. */
export function usageFromChat(usage: ChatUsage | null | undefined): JsonObject {
  return messagesUsage(readUsage(usage) ?? NO_TOKENS);
}

/** Usage of a stream. Counts are cumulative: the last one is valid, and a missing count has not changed. */
export class StreamedUsage {
  /** Counts of the first frame: complete for the input, with almost no output. */
  #begun: Readonly<Record<string, unknown>> | null = null;
  #last: Record<string, unknown> = {};

  take(usage: unknown): void {
    if (isObject(usage)) for (const [name, count] of Object.entries(usage)) if (count !== null) this.#last[name] = count;
    this.#begun ??= { ...this.#last };
  }

  /** Without valid final counts, the output is set to zero, so the gateway counts it. */
  get whole(): unknown {
    return readUsage(this.#last) === null && this.#begun !== null ? { ...this.#begun, output_tokens: 0 } : this.#last;
  }
}
