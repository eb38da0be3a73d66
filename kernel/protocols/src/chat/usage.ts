import type { ChatUsage, TokenUsage } from '@svc/contracts';
import { isCount } from '../common/count.ts';

/** The provider's own figures; null where it gave none that can be read. */
export function reportedUsage(usage: ChatUsage | null | undefined): TokenUsage | null {
  if (usage == null || !isCount(usage.prompt_tokens) || !isCount(usage.completion_tokens)) return null;
  const cached = usage.prompt_tokens_details?.cached_tokens;
  return {
    cached_input_tokens: isCount(cached) ? cached : 0,
    estimated: false,
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
  };
}

/** The same in OpenAI's words, for an answer that came without. */
export function chatUsage({ input_tokens, output_tokens }: TokenUsage): ChatUsage {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}
