import type { TokenUsage } from '@svc/contracts';

type Recorded = readonly [
  vendor: string,
  usage: object,
  tokens: Omit<TokenUsage, 'estimated' | 'cached_input_tokens'> & Partial<TokenUsage>,
];

/** Usage objects as vendors send them, from their documentation and from recordings that users published. */
export const RECORDED: readonly Recorded[] = [
  [
    'OpenAI, chat completions with reasoning and cache',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 128,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    { input_tokens: 2006, cached_input_tokens: 1920, output_tokens: 300, reasoning_tokens: 128 },
  ],
  [
    'OpenAI, audio',
    {
      prompt_tokens: 118,
      completion_tokens: 260,
      total_tokens: 378,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 200 },
    },
    { input_tokens: 118, input_audio_tokens: 100, output_tokens: 260, output_audio_tokens: 200 },
  ],
  [
    'OpenAI, Responses with cache writes',
    {
      input_tokens: 5015,
      input_tokens_details: { cached_tokens: 1024, cache_write_tokens: 3900 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 64 },
      total_tokens: 5115,
    },
    { input_tokens: 5015, cached_input_tokens: 1024, cache_write_5m_tokens: 3900, output_tokens: 100, reasoning_tokens: 64 },
  ],
  ['OpenAI, embeddings', { prompt_tokens: 8, total_tokens: 8 }, { input_tokens: 8, output_tokens: 0 }],
  [
    'Azure OpenAI, details null',
    {
      completion_tokens: 33,
      prompt_tokens: 557,
      total_tokens: 590,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    { input_tokens: 557, output_tokens: 33 },
  ],
  [
    'Anthropic, cache of five minutes and of an hour',
    {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503,
      service_tier: 'standard',
      inference_geo: 'global',
    },
    {
      input_tokens: 4096,
      cached_input_tokens: 1800,
      cache_write_5m_tokens: 148,
      cache_write_1h_tokens: 100,
      output_tokens: 503,
    },
  ],
  [
    'Anthropic, thinking and a search',
    {
      input_tokens: 105,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 7123,
      output_tokens: 6039,
      output_tokens_details: { thinking_tokens: 5000 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    },
    { input_tokens: 7228, cached_input_tokens: 7123, output_tokens: 6039, reasoning_tokens: 5000, web_searches: 1 },
  ],
  [
    'Gemini, thoughts, tools, cache and audio',
    {
      promptTokenCount: 1200,
      cachedContentTokenCount: 1000,
      candidatesTokenCount: 198,
      thoughtsTokenCount: 405,
      toolUsePromptTokenCount: 20,
      totalTokenCount: 1823,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 1100 },
        { modality: 'AUDIO', tokenCount: 100 },
      ],
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
    },
    { input_tokens: 1220, cached_input_tokens: 1000, input_audio_tokens: 100, output_tokens: 603, reasoning_tokens: 405 },
  ],
  [
    'Gemini, thoughts only in the total',
    { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 1030 },
    { input_tokens: 20, output_tokens: 1010 },
  ],
  ['Gemini, a prompt that was blocked', { promptTokenCount: 9, totalTokenCount: 9 }, { input_tokens: 9, output_tokens: 0 }],
  [
    "Gemini in OpenAI's form",
    { completion_tokens: 10, prompt_tokens: 12, total_tokens: 1022 },
    { input_tokens: 12, output_tokens: 1010 },
  ],
  [
    "Gemini in OpenAI's form, nothing but thoughts",
    { completion_tokens: 0, prompt_tokens: 21, total_tokens: 81, completion_tokens_details: { reasoning_tokens: 60 } },
    { input_tokens: 21, output_tokens: 60, reasoning_tokens: 60 },
  ],
  [
    'xAI, reasoning beside the completion',
    {
      prompt_tokens: 10120,
      completion_tokens: 1499,
      total_tokens: 14428,
      prompt_tokens_details: { text_tokens: 10120, audio_tokens: 0, image_tokens: 0, cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809, audio_tokens: 0 },
      num_sources_used: 0,
      cost_in_usd_ticks: 232856000,
    },
    { input_tokens: 10120, cached_input_tokens: 128, output_tokens: 4308, reasoning_tokens: 2809 },
  ],
  [
    'xAI, reasoning beside the completion, without a total',
    { prompt_tokens: 12, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 386 } },
    { input_tokens: 12, output_tokens: 387, reasoning_tokens: 386 },
  ],
  [
    'DeepSeek',
    {
      prompt_tokens: 1100,
      completion_tokens: 350,
      total_tokens: 1450,
      prompt_tokens_details: { cached_tokens: 1024 },
      completion_tokens_details: { reasoning_tokens: 300 },
      prompt_cache_hit_tokens: 1024,
      prompt_cache_miss_tokens: 76,
    },
    { input_tokens: 1100, cached_input_tokens: 1024, output_tokens: 350, reasoning_tokens: 300 },
  ],
  [
    'DeepSeek, older',
    { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { input_tokens: 100, cached_input_tokens: 64, output_tokens: 5 },
  ],
  [
    'Mistral',
    { prompt_tokens: 16, total_tokens: 50, completion_tokens: 34, prompt_audio_seconds: null, num_cached_tokens: 8 },
    { input_tokens: 16, cached_input_tokens: 8, output_tokens: 34 },
  ],
  [
    'Groq',
    {
      queue_time: 0.048,
      prompt_tokens: 38,
      prompt_time: 0.002,
      completion_tokens: 12,
      completion_time: 0.04,
      total_tokens: 50,
      total_time: 0.042,
    },
    { input_tokens: 38, output_tokens: 12 },
  ],
  [
    'Together',
    { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57, cached_tokens: 32 },
    { input_tokens: 50, cached_input_tokens: 32, output_tokens: 7 },
  ],
  [
    'Fireworks',
    { prompt_tokens: 2053, total_tokens: 2073, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 2048 } },
    { input_tokens: 2053, cached_input_tokens: 2048, output_tokens: 20 },
  ],
  [
    'OpenRouter, with its cost',
    {
      completion_tokens: 2,
      completion_tokens_details: { reasoning_tokens: 0 },
      cost: 0.95,
      cost_details: { upstream_inference_cost: 19 },
      prompt_tokens: 194,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      total_tokens: 196,
    },
    { input_tokens: 194, cache_write_5m_tokens: 100, output_tokens: 2 },
  ],
  [
    'LiteLLM before Anthropic, whose cache is in the prompt',
    {
      prompt_tokens: 3020,
      completion_tokens: 40,
      total_tokens: 3060,
      prompt_tokens_details: {
        cached_tokens: 1000,
        cache_creation_tokens: 2000,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1500 },
      },
      cache_creation_input_tokens: 2000,
      cache_read_input_tokens: 1000,
    },
    {
      input_tokens: 3020,
      cached_input_tokens: 1000,
      cache_write_5m_tokens: 500,
      cache_write_1h_tokens: 1500,
      output_tokens: 40,
    },
  ],
  [
    'Cohere, v2',
    { billed_units: { input_tokens: 5, output_tokens: 418 }, tokens: { input_tokens: 71, output_tokens: 418 }, cached_tokens: 0 },
    { input_tokens: 5, output_tokens: 418 },
  ],
  [
    'Cohere, without billed units',
    { tokens: { input_tokens: 71, output_tokens: 418 } },
    { input_tokens: 71, output_tokens: 418 },
  ],
  [
    'Bedrock, Converse with cache',
    {
      inputTokens: 17,
      outputTokens: 240,
      totalTokens: 2353,
      cacheReadInputTokens: 1024,
      cacheWriteInputTokens: 1072,
      cacheDetails: [{ ttl: '1h', inputTokens: 1072 }],
    },
    { input_tokens: 2113, cached_input_tokens: 1024, cache_write_1h_tokens: 1072, output_tokens: 240 },
  ],
  [
    'Bedrock, metrics of an invocation',
    { inputTokenCount: 12, outputTokenCount: 5, invocationLatency: 543, firstByteLatency: 200, cacheReadInputTokenCount: 100 },
    { input_tokens: 112, cached_input_tokens: 100, output_tokens: 5 },
  ],
  [
    'vLLM',
    { prompt_tokens: 9, total_tokens: 109, completion_tokens: 100, prompt_tokens_details: null },
    { input_tokens: 9, output_tokens: 100 },
  ],
  [
    'SGLang',
    { prompt_tokens: 30, total_tokens: 130, completion_tokens: 100, prompt_tokens_details: null, reasoning_tokens: 80 },
    { input_tokens: 30, output_tokens: 100, reasoning_tokens: 80 },
  ],
  [
    "Ollama's own API",
    { model: 'qwen3', done: true, total_duration: 5191566416, prompt_eval_count: 26, eval_count: 298, eval_duration: 4799921000 },
    { input_tokens: 26, output_tokens: 298 },
  ],
  [
    'llama.cpp, timings',
    { cache_n: 236, prompt_n: 1, prompt_ms: 30.958, predicted_n: 35, predicted_ms: 661.064, predicted_per_second: 52.9 },
    { input_tokens: 237, cached_input_tokens: 236, output_tokens: 35 },
  ],
  [
    'Perplexity',
    {
      prompt_tokens: 10,
      completion_tokens: 200,
      total_tokens: 210,
      search_context_size: 'low',
      cost: { input_tokens_cost: 0.00001, output_tokens_cost: 0.0002, request_cost: 0.005, total_cost: 0.00521 },
    },
    { input_tokens: 10, output_tokens: 200 },
  ],
  [
    'Perplexity, deep research',
    {
      prompt_tokens: 33,
      completion_tokens: 7163,
      total_tokens: 7196,
      citation_tokens: 20016,
      num_search_queries: 21,
      reasoning_tokens: 3391,
    },
    { input_tokens: 20049, output_tokens: 10554, reasoning_tokens: 3391, web_searches: 21 },
  ],
  [
    'Moonshot',
    { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
    { input_tokens: 19, cached_input_tokens: 10, output_tokens: 21 },
  ],
];
