import { type ChatUsage, isObject, type TokenUsage } from '@svc/contracts';
import { isCount } from '../common/count.ts';

/** Tokens of a prompt: those written to and read from the cache are counted apart from `input_tokens`. Null: no figures that can be read. */
function countsIn(usage: unknown) {
  if (!isObject(usage)) return null;
  const { input_tokens, output_tokens } = usage;
  const written = usage.cache_creation_input_tokens ?? 0;
  const cached = usage.cache_read_input_tokens ?? 0;
  if (!isCount(input_tokens) || !isCount(output_tokens) || !isCount(written) || !isCount(cached)) return null;
  const prompt = input_tokens + written + cached;
  return isCount(prompt) ? { prompt, output_tokens, written, cached } : null;
}

/** The upstream's own figures; null where it gave none that can be read. */
export function reportedTokens(usage: unknown): TokenUsage | null {
  const counts = countsIn(usage);
  if (counts === null) return null;
  const { prompt, output_tokens, cached } = counts;
  return { cached_input_tokens: cached, estimated: false, input_tokens: prompt, output_tokens };
}

/** The same as OpenAI's `usage`. `cache_creation_tokens` is LiteLLM's name. */
export function usageToChat(usage: unknown): ChatUsage | undefined {
  const counts = countsIn(usage);
  if (counts === null) return undefined;
  const { prompt, output_tokens, written, cached } = counts;
  const details = isObject(usage) ? usage.output_tokens_details : undefined;
  const reasoning_tokens = isObject(details) ? details.thinking_tokens : undefined;
  return {
    prompt_tokens: prompt,
    completion_tokens: output_tokens,
    total_tokens: prompt + output_tokens,
    prompt_tokens_details: { cached_tokens: cached, ...(written > 0 && { cache_creation_tokens: written }) },
    ...(isCount(reasoning_tokens) && { completion_tokens_details: { reasoning_tokens } }),
  };
}

/** OpenAI's `usage` in the words of the Messages API. Tokens of the cache are counted apart from the others. */
export function usageFromChat(usage: ChatUsage | null | undefined) {
  const { cached_tokens: cache_read_input_tokens = 0, cache_creation_tokens } = usage?.prompt_tokens_details ?? {};
  const cache_creation_input_tokens = typeof cache_creation_tokens === 'number' ? cache_creation_tokens : 0;
  const details = usage?.completion_tokens_details;
  const thinking_tokens = isObject(details) ? details.reasoning_tokens : undefined;
  return {
    input_tokens: Math.max((usage?.prompt_tokens ?? 0) - cache_read_input_tokens - cache_creation_input_tokens, 0),
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens: usage?.completion_tokens ?? 0,
    ...(isCount(thinking_tokens) && { output_tokens_details: { thinking_tokens } }),
  };
}

/** Counts of a stream are of the whole so far: the last of each holds, and an absent one has not changed. */
export class StreamedUsage {
  /** Of the beginning: complete for the input, almost nothing of the output. */
  #begun: Readonly<Record<string, unknown>> | null = null;
  #last: Record<string, unknown> = {};

  take(usage: unknown): void {
    if (isObject(usage)) for (const [name, count] of Object.entries(usage)) if (count !== null) this.#last[name] = count;
    this.#begun ??= { ...this.#last };
  }

  /** Without a valid last count what was written is nothing: the gateway counts it by itself. */
  get whole(): unknown {
    return countsIn(this.#last) === null && this.#begun !== null ? { ...this.#begun, output_tokens: 0 } : this.#last;
  }
}
