/** What a server differs in from OpenAI's own. */
export interface Preset {
  /** Undefined where each account has its own. */
  readonly base_url?: string;
  readonly auth_header?: string;
  /** False if the server refuses the field `stream_options` and reports usage without it. */
  readonly stream_options?: boolean;
}

/** Addresses and headers as the servers' documentation gives them. An option that is given stands before its preset. */
export const PRESETS = {
  azure: { auth_header: 'api-key' },
  gemini: { base_url: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  mistral: { base_url: 'https://api.mistral.ai/v1', stream_options: false },
  openrouter: { base_url: 'https://openrouter.ai/api/v1' },
  groq: { base_url: 'https://api.groq.com/openai/v1' },
  deepseek: { base_url: 'https://api.deepseek.com' },
  ollama: { base_url: 'http://127.0.0.1:11434/v1' },
  vllm: { base_url: 'http://127.0.0.1:8000/v1' },
} as const satisfies Record<string, Preset>;

export const PRESET_NAMES = ['azure', 'gemini', 'mistral', 'openrouter', 'groq', 'deepseek', 'ollama', 'vllm'] as const;
