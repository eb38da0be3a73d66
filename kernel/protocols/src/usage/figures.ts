import { isObject } from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { objectsIn } from '../common/json-shapes.ts';

/** Where servers write each figure of a usage; the first that is a count holds. */
const NAMES = {
  input: [
    'prompt_tokens',
    'input_tokens',
    'inputTokens',
    'promptTokenCount',
    'inputTokenCount',
    'inputTextTokenCount',
    'prompt_eval_count',
    'prompt_n',
  ],
  output: [
    'completion_tokens',
    'output_tokens',
    'outputTokens',
    'candidatesTokenCount',
    'responseTokenCount',
    'outputTokenCount',
    'eval_count',
    'predicted_n',
  ],
  total: ['total_tokens', 'totalTokens', 'totalTokenCount'],
  /** Read from a cache, and part of the input. */
  cached: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'prompt_cache_hit_tokens',
    'cached_tokens',
    'num_cached_tokens',
    'cachedContentTokenCount',
  ],
  /** Read from a cache, beside the input; beside `prompt_tokens` they are part of it. */
  cached_beside: ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount', 'cache_n'],
  written: [
    'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'input_tokens_details.cache_write_tokens',
  ],
  written_beside: ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteInputTokenCount'],
  written_5m: [
    'cache_creation.ephemeral_5m_input_tokens',
    'prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens',
  ],
  written_1h: [
    'cache_creation.ephemeral_1h_input_tokens',
    'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
  ],
  input_audio: ['prompt_tokens_details.audio_tokens', 'input_tokens_details.audio_tokens'],
  output_audio: ['completion_tokens_details.audio_tokens', 'output_tokens_details.audio_tokens'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'output_tokens_details.thinking_tokens',
    'reasoning_tokens',
  ],
  /** Always beside the output. */
  thoughts: ['thoughtsTokenCount'],
  /** Always beside the input. */
  tool_prompt: ['toolUsePromptTokenCount'],
  /** What a search model read: input, but beside it. */
  citations: ['citation_tokens'],
  searches: ['server_tool_use.web_search_requests', 'num_search_queries'],
} as const satisfies Record<string, readonly string[]>;

export type Figure = keyof typeof NAMES;

const PATHS = new Map<string, readonly (readonly string[])[]>(
  Object.entries(NAMES).map(([figure, names]) => [figure, names.map((name) => name.split('.'))]),
);

/** A figure of a usage; null: it has none, or what stands there is no count. */
export function figure(usage: Readonly<Record<string, unknown>>, name: Figure): number | null {
  for (const path of PATHS.get(name) ?? []) {
    let value: unknown = usage;
    for (const key of path) value = isObject(value) ? value[key] : undefined;
    if (isCount(value)) return value;
  }
  return null;
}

/** Gemini's tokens of a modality, such as `AUDIO`, in one of its lists. */
export function modality(list: unknown, name: string): number {
  return sumWhere(list, 'modality', name, 'tokenCount');
}

/** Bedrock's tokens that were written to a cache, by how long they stay. */
export function writtenFor(list: unknown, ttl: string): number {
  return sumWhere(list, 'ttl', ttl, 'inputTokens');
}

function sumWhere(list: unknown, key: string, value: string, count: string): number {
  return objectsIn(list).reduce((sum, item) => {
    const tokens = item[key] === value ? item[count] : 0;
    return sum + (isCount(tokens) ? tokens : 0);
  }, 0);
}
