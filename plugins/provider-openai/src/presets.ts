/** The differences between a server and OpenAI's. */
export interface Preset {
  /** Undefined if each account has its own URL. */
  readonly base_url?: string;
  readonly auth_header?: string;
  /** False if the server rejects `stream_options` and reports usage without it. */
  readonly stream_options?: boolean;
}

/** URLs and headers, from the servers' documentation. The operator's own options take precedence. */
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
