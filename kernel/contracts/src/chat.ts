import type { JsonValue } from './json.ts';

/**
 * The normalized chat shape is OpenAI's chat-completions shape. Only what the gateway itself uses is typed;
 * everything else passes through, so new fields still reach the model.
 */
export interface ToolCall {
  id: string;
  type: string;
  function?: { name: string; arguments: string };
  [field: string]: unknown;
}

/** A thinking block in the form that the vendor expects back. The form is LiteLLM's convention for Anthropic's Messages API. */
export type ThinkingBlock =
  | {
      type: 'thinking';
      thinking: string;
      /** The vendor's signature of exactly this text. Absent if the text was edited or never signed. */
      signature?: string;
    }
  | {
      type: 'redacted_thinking';
      /** The vendor's encrypted thinking, which only the vendor can read. */
      data: string;
    };

export interface ChatMessage {
  role: string;
  /** Text, an array of content parts (`text`, `image_url`, `input_audio`, `file`, …), or null with tool calls. */
  content?: string | JsonValue[] | null;
  tool_calls?: ToolCall[];
  [field: string]: unknown;
}

export interface ChatRequest {
  /** The name of the route; for a provider, the upstream model. */
  model: string;
  messages: ChatMessage[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean; [field: string]: unknown };
  n?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  [field: string]: unknown;
}

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; [field: string]: unknown };
  [field: string]: unknown;
}

export interface ChatChoice {
  index: number;
  message: ChatMessage;
  /** Such as `stop`, `length`, `tool_calls` or `content_filter`. A provider translates its own reasons into these. */
  finish_reason: string | null;
  [field: string]: unknown;
}

export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  /** Seconds since the Unix epoch. */
  created: number;
  model: string;
  choices: ChatChoice[];
  usage?: ChatUsage;
  /** Set by the gateway: fields of the upstream's answer that were removed because no guard can check them. */
  svc_left_out?: readonly string[];
  [field: string]: unknown;
}

export interface ChatChunkChoice {
  index: number;
  delta: { role?: string; content?: string | null; tool_calls?: ToolCallDelta[]; [field: string]: unknown };
  finish_reason: string | null;
  [field: string]: unknown;
}

/** A chunk of a tool call. Chunks with the same `index` are merged: their `arguments` are concatenated. */
export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: string;
  function?: { name?: string; arguments?: string };
}

/** OpenAI's `chat.completion.chunk`. The last one has `usage`; its `choices` may be empty. */
export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: ChatChunkChoice[];
  usage?: ChatUsage | null;
  /** Set by the gateway in the last frame: see {@link ChatCompletion.svc_left_out}. */
  svc_left_out?: readonly string[];
  [field: string]: unknown;
}

/**
 * Tokens of one upstream call, each counted once. `estimated`: the gateway counted them because the provider did not. An optional field is absent if
 * it is zero or not reported by the provider.
 */
export interface TokenUsage {
  /** Includes all `input` parts below. */
  input_tokens: number;
  /** Includes all `output` parts below. */
  output_tokens: number;
  /** Part of `input_tokens` that the provider served from its cache. */
  cached_input_tokens: number;
  /** Part of `input_tokens` that was written to the provider's cache for 5 minutes, or for an unknown time. */
  cache_write_5m_tokens?: number;
  /** Part of `input_tokens` that was written to the provider's cache for one hour. */
  cache_write_1h_tokens?: number;
  /** Part of `input_tokens` that was audio. */
  input_audio_tokens?: number;
  /** Part of `output_tokens` that was audio. */
  output_audio_tokens?: number;
  /** Part of `output_tokens` that was reasoning. */
  reasoning_tokens?: number;
  /** Web searches that the provider made for the answer. */
  web_searches?: number;
  estimated: boolean;
}
