import { type AnswerBody, type ChatUsage, isObject, type TokenUsage } from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { readUsage } from '../usage/read-usage.ts';

/** Token counts in OpenAI's chat format. Cache writes have LiteLLM's names, and web searches Anthropic's. */
export function chatUsage(tokens: TokenUsage): ChatUsage {
  const { input_tokens, output_tokens, cached_input_tokens, estimated, web_searches } = tokens;
  const { cache_write_5m_tokens = 0, cache_write_1h_tokens = 0, input_audio_tokens } = tokens;
  const { reasoning_tokens, output_audio_tokens } = tokens;
  const written = cache_write_5m_tokens + cache_write_1h_tokens;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(!estimated && {
      prompt_tokens_details: {
        cached_tokens: cached_input_tokens,
        ...(input_audio_tokens !== undefined && { audio_tokens: input_audio_tokens }),
        ...(written > 0 && { cache_creation_tokens: written }),
        ...(cache_write_1h_tokens > 0 && {
          cache_creation_token_details: {
            ephemeral_5m_input_tokens: cache_write_5m_tokens,
            ephemeral_1h_input_tokens: cache_write_1h_tokens,
          },
        }),
      },
    }),
    ...((reasoning_tokens ?? output_audio_tokens) !== undefined && {
      completion_tokens_details: {
        ...(reasoning_tokens !== undefined && { reasoning_tokens }),
        ...(output_audio_tokens !== undefined && { audio_tokens: output_audio_tokens }),
      },
    }),
    ...(web_searches !== undefined && { server_tool_use: { web_search_requests: web_searches } }),
  };
}

/** Converts the usage of any API to OpenAI's. Undefined if it contains no valid counts. */
export function usageToChat(usage: unknown): ChatUsage | undefined {
  const tokens = readUsage(usage);
  return tokens === null ? undefined : chatUsage(tokens);
}

/** Adds the gateway's token counts if the answer has none in the chat format. */
export function withChatUsage(answer: AnswerBody, tokens: TokenUsage): AnswerBody {
  const { usage } = answer;
  const isRead = isObject(usage) && isCount(usage.prompt_tokens) && isCount(usage.completion_tokens);
  return isRead ? answer : { ...answer, usage: chatUsage(tokens) };
}
