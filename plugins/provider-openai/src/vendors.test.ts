import type { ChatCompletion, Provider } from '@svc/sdk';
import { behaviours, fakeCallContext, joinChunks } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { PRESET_NAMES } from './presets.ts';
import { REQUEST, setUp, tearDown } from './provider-fixture.ts';

const { frames, raw, SSE_HEADERS, sseFrame } = behaviours;

afterEach(tearDown);

async function joined(provider: Provider): Promise<ChatCompletion> {
  const chunks = [];
  for await (const chunk of (await provider.stream(REQUEST, fakeCallContext())).chunks) chunks.push(chunk);
  const completion = joinChunks(chunks);
  for (const { index, message } of completion.choices) {
    for (const field of ['reasoning_content', 'reasoning']) {
      const pieces = chunks
        .flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index))
        .map(({ delta }) => delta[field]);
      const text = pieces.filter((piece) => typeof piece === 'string').join('');
      if (text !== '') Object.assign(message, { [field]: text });
    }
  }
  return completion;
}

const head = (id: string, model: string) => ({ id, object: 'chat.completion.chunk', created: 1_700_000_000, model });
const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } });

interface Vendor {
  readonly sent: readonly (object | string)[];
  readonly message: object;
  readonly finish_reason: string;
}

/** The frames of one streamed answer, in the shapes that the documentation of each server gives. */
const VENDORS: Record<(typeof PRESET_NAMES)[number], Vendor> = {
  // First come filters without choices. An asynchronous filter sends choices without text.
  azure: {
    sent: [
      { ...head('', ''), choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
      {
        ...head('c', 'gpt-4o'),
        choices: [{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }],
      },
      {
        ...head('c', 'gpt-4o'),
        choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null, logprobs: null, content_filter_results: {} }],
      },
      {
        ...head('', ''),
        choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 0 }, content_filter_results: {} }],
      },
      { ...head('c', 'gpt-4o'), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...head('c', 'gpt-4o'), choices: [], usage: USAGE },
      '[DONE]',
    ],
    message: { content: 'Hi' },
    finish_reason: 'stop',
  },
  // Whole calls in one delta. Each has the index 0 or none.
  gemini: {
    sent: [
      {
        ...head('g', 'gemini-2.5-flash'),
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              tool_calls: [
                { id: 'function-call-1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
                { id: 'function-call-2', type: 'function', function: { name: 'g', arguments: '{}' } },
              ],
            },
          },
        ],
      },
      {
        ...head('g', 'gemini-2.5-flash'),
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              tool_calls: [{ index: 0, id: 'function-call-3', type: 'function', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: USAGE,
      },
      '[DONE]',
    ],
    message: {
      tool_calls: [
        call('function-call-1', 'f', '{"a":1}'),
        call('function-call-2', 'g', '{}'),
        call('function-call-3', 'f', '{}'),
      ],
    },
    finish_reason: 'tool_calls',
  },
  // Magistral: content is a list of parts during thinking, then a text. Usage is in the last chunk, even if not requested.
  mistral: {
    sent: [
      { ...head('m', 'magistral'), choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      {
        ...head('m', 'magistral'),
        choices: [
          {
            index: 0,
            delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me ' }] }] },
            finish_reason: null,
          },
        ],
      },
      {
        ...head('m', 'magistral'),
        choices: [
          {
            index: 0,
            delta: {
              content: [
                { type: 'thinking', thinking: [{ type: 'text', text: 'see' }] },
                { type: 'text', text: 'It ' },
              ],
            },
            finish_reason: null,
          },
        ],
      },
      { ...head('m', 'magistral'), choices: [{ index: 0, delta: { content: 'is' }, finish_reason: 'stop' }], usage: USAGE },
      '[DONE]',
    ],
    message: { content: 'It is', reasoning_content: 'Let me see' },
    finish_reason: 'stop',
  },
  // Comments keep the connection alive. Reasoning arrives both as text and as details.
  openrouter: {
    sent: [
      {
        ...head('o', 'x/y'),
        provider: 'P',
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              content: '',
              reasoning: 'hm',
              reasoning_details: [{ type: 'reasoning.text', text: 'hm', format: 'unknown', index: 0 }],
            },
            finish_reason: null,
            native_finish_reason: null,
          },
        ],
      },
      {
        ...head('o', 'x/y'),
        provider: 'P',
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: 'Yes' },
            finish_reason: null,
            native_finish_reason: null,
            logprobs: null,
          },
        ],
      },
      {
        ...head('o', 'x/y'),
        provider: 'P',
        choices: [
          { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop', native_finish_reason: 'end_turn' },
        ],
      },
      {
        ...head('o', 'x/y'),
        provider: 'P',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null, native_finish_reason: null }],
        usage: { ...USAGE, cost: 0.001 },
      },
      '[DONE]',
    ],
    message: { content: 'Yes', reasoning: 'hm' },
    finish_reason: 'stop',
  },
  groq: {
    sent: [
      {
        ...head('q', 'llama'),
        system_fingerprint: 'fp',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
        x_groq: { id: 'req_1' },
      },
      { ...head('q', 'llama'), choices: [{ index: 0, delta: { content: 'Yes' }, logprobs: null, finish_reason: null }] },
      {
        ...head('q', 'llama'),
        choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
        x_groq: { id: 'req_1', usage: { queue_time: 0.1, ...USAGE } },
      },
      '[DONE]',
    ],
    message: { content: 'Yes' },
    finish_reason: 'stop',
  },
  deepseek: {
    sent: [
      {
        ...head('d', 'deepseek-reasoner'),
        choices: [
          { index: 0, delta: { role: 'assistant', content: null, reasoning_content: 'Hm' }, logprobs: null, finish_reason: null },
        ],
        usage: null,
      },
      {
        ...head('d', 'deepseek-reasoner'),
        choices: [{ index: 0, delta: { content: 'Yes', reasoning_content: null }, logprobs: null, finish_reason: null }],
        usage: null,
      },
      {
        ...head('d', 'deepseek-reasoner'),
        choices: [{ index: 0, delta: { content: '', reasoning_content: null }, logprobs: null, finish_reason: 'stop' }],
        usage: { ...USAGE, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 9 },
      },
      '[DONE]',
    ],
    message: { content: 'Yes', reasoning_content: 'Hm' },
    finish_reason: 'stop',
  },
  ollama: {
    sent: [
      {
        ...head('l', 'qwen3'),
        system_fingerprint: 'fp_ollama',
        choices: [{ index: 0, delta: { role: 'assistant', content: '', reasoning: 'Hm' }, finish_reason: null }],
      },
      {
        ...head('l', 'qwen3'),
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'call_x', index: 0, type: 'function', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: null,
          },
        ],
      },
      { ...head('l', 'qwen3'), choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' }] },
      { ...head('l', 'qwen3'), choices: [], usage: USAGE },
      '[DONE]',
    ],
    message: { reasoning: 'Hm', tool_calls: [call('call_x', 'f', '{}')] },
    finish_reason: 'tool_calls',
  },
  vllm: {
    sent: [
      {
        ...head('v', 'm'),
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
        prompt_token_ids: null,
      },
      {
        ...head('v', 'm'),
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ id: 'chatcmpl-tool-1', type: 'function', index: 0, function: { name: 'f' } }] },
            finish_reason: null,
          },
        ],
      },
      {
        ...head('v', 'm'),
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }, finish_reason: null }],
      },
      {
        ...head('v', 'm'),
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
            finish_reason: 'tool_calls',
            stop_reason: null,
            token_ids: null,
          },
        ],
      },
      { ...head('v', 'm'), choices: [], usage: USAGE },
      '[DONE]',
    ],
    message: { tool_calls: [call('chatcmpl-tool-1', 'f', '{"a":1}')] },
    finish_reason: 'tool_calls',
  },
};

test.each(PRESET_NAMES)('a stream in the shapes of %s is read whole', async (preset) => {
  const { sent, message, finish_reason } = VENDORS[preset];
  const { upstream, provider } = await setUp({ preset });
  upstream.respond(raw(200, SSE_HEADERS, `: comment\n\n${sent.map(sseFrame).join('')}`));
  const { choices, usage } = await joined(provider);
  expect(choices).toMatchObject([{ message, finish_reason }]);
  expect(usage).toMatchObject(USAGE);
});

test('Mistral is not sent stream_options', async () => {
  const { upstream, provider } = await setUp({ preset: 'mistral' });
  await joined(provider);
  expect(upstream.requests[0]?.body).not.toHaveProperty('stream_options');
});

describe('an error in mid-stream', () => {
  const begun = { ...head('e', 'm'), choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }] };
  test.each([
    [
      'OpenRouter',
      { ...begun, error: { code: 502, message: 'x' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] },
      502,
    ],
    [
      'a choice of OpenRouter',
      { ...begun, choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 429, message: 'x' } }] },
      429,
    ],
    ['vLLM', { object: 'error', message: 'x', type: 'BadRequestError', code: 400 }, 400],
    ['vLLM of today', { error: { message: 'x', type: 'InternalServerError', param: null, code: 500 } }, 500],
    ['Groq', { error: { message: 'x', type: 'server_error', status_code: 503 } }, 503],
  ])('of %s ends the stream', async (_vendor, frame, status) => {
    const { upstream, provider } = await setUp();
    upstream.respond(frames([begun, frame]));
    await expect(joined(provider)).rejects.toMatchObject({ name: 'ProviderError', status });
  });
});
