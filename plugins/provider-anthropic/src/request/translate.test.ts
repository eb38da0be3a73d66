import type { ChatRequest, JsonObject } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { REQUEST } from '../provider-fixture.ts';
import { translate } from './translate.ts';

const OPTIONS = { max_tokens: 4096, leave_out: [] };
const PLAIN = {
  model: 'claude-1',
  max_tokens: 4096,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello big world' }] }],
};

const asked = (changes: JsonObject, options: Parameters<typeof translate>[1] = OPTIONS) =>
  translate({ ...REQUEST, ...changes } as ChatRequest, options);

describe('a parameter', () => {
  test('that is not given adds nothing', () => expect(asked({})).toEqual({ body: PLAIN, unsupported: [] }));

  test.each<[JsonObject, object]>([
    [{ max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ max_tokens: 7 }, { max_tokens: 7 }],
    [{ max_tokens: 7, max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ temperature: 1 }, { temperature: 1 }],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
    [{ user: 'user-1' }, { metadata: { user_id: 'user-1' } }],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ reasoning_effort: 'minimal' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    [{ reasoning_effort: 'low' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    [{ reasoning_effort: 'xhigh' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }],
    [{ reasoning_effort: 'max' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
    [
      { reasoning_effort: 'low', thinking: { type: 'disabled' } },
      { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
    ],
    [{ reasoning_effort: 'none', thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
    [{ reasoning_effort: 'low', anthropic_version: '2023-06-01' }, { output_config: { effort: 'low' } }],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, { thinking: { type: 'adaptive', display: 'omitted' } }],
    [{ context_management: { edits: [{ type: 'x' }] } }, { context_management: { edits: [{ type: 'x' }] } }],
    [
      { output_config: { task_budget: { total: 9 } }, reasoning_effort: 'high', anthropic_version: '2023-06-01' },
      { output_config: { task_budget: { total: 9 }, effort: 'high' } },
    ],
    [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    [{ response_format: { type: 'json_object' } }, { system: [{ type: 'text', text: expect.stringContaining('JSON') }] }],
    [{ anthropic_beta: ['b-1'] }, {}],
    [
      {
        anthropic_version: '2023-06-01',
        reasoning_effort: 'high',
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'reply', description: 'A reply.', strict: true, schema: { type: 'object' } },
        },
      },
      { output_config: { effort: 'high', format: { type: 'json_schema', schema: { description: 'A reply.', type: 'object' } } } },
    ],
  ])('%j is honoured', (changes, adds) => {
    expect(asked(changes)).toEqual({ body: { ...PLAIN, ...adds }, unsupported: [] });
  });

  test.each<JsonObject>([
    { n: 1 },
    { store: false },
    { logprobs: false },
    { logit_bias: {} },
    { presence_penalty: 0, frequency_penalty: 0 },
    { modalities: ['text'] },
    { response_format: { type: 'text' } },
    { service_tier: 'auto' },
    { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    { svc_run_id: 'r' },
    { temperature: null, seed: null, tools: null, stop: null, max_tokens: null },
    { tools: [], tool_choice: 'auto', parallel_tool_calls: false },
  ])('%j asks for what happens anyway', (changes) => {
    expect(asked(changes)).toEqual({ body: PLAIN, unsupported: [] });
  });

  test.each<JsonObject>([
    { n: 2 },
    { temperature: 1.5 },
    { seed: 7 },
    { store: true },
    { logprobs: true },
    { top_logprobs: 3 },
    { logit_bias: { '50256': -100 } },
    { presence_penalty: -2 },
    { frequency_penalty: 0.1 },
    { audio: { voice: 'alloy', format: 'wav' } },
    { modalities: ['text', 'audio'] },
    { prediction: { type: 'content', content: 'x' } },
    { response_format: { type: 'not_invented_yet' } },
    { reasoning_effort: 'most' },
    { thinking: 'much' },
    { context_management: [] },
    { service_tier: 'flex' },
    { stop: '\n' },
    { metadata: { ticket: '1' } },
    { functions: [{ name: 'f' }] },
    { function_call: 'auto' },
    { tool_choice: 'required' },
    { x_not_invented_yet: { deep: [1] } },
    { constructor: 1 },
    { top_k: 5 },
  ])('%j is named, and not sent', (changes) => {
    expect(asked(changes)).toEqual({ body: PLAIN, unsupported: Object.keys(changes) });
  });

  test('of the two limits the newer holds, and the older is named', () => {
    expect(asked({ max_tokens: 7, max_completion_tokens: 9 })).toEqual({
      body: { ...PLAIN, max_tokens: 9 },
      unsupported: ['max_tokens'],
    });
  });

  test('stop: of several those of white space are left out', () => {
    expect(asked({ stop: ['END', '\n', 'x'] })).toEqual({
      body: { ...PLAIN, stop_sequences: ['END', 'x'] },
      unsupported: ['stop'],
    });
  });

  test('that the operator wants left out is named, and not sent', () => {
    const changes = { temperature: 0.5, top_p: 0.5, reasoning_effort: 'low' };
    expect(asked(changes, { max_tokens: 10, leave_out: ['temperature', 'reasoning_effort'] })).toEqual({
      body: { ...PLAIN, max_tokens: 10, top_p: 0.5 },
      unsupported: ['temperature', 'reasoning_effort'],
    });
  });
});

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const tool = { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters, strict: true } };
  const sent = { name: 'weather', description: 'Tells it.', input_schema: parameters, strict: true };
  const bare = { type: 'function', function: { name: 'now', strict: false } };
  const custom = { type: 'custom', custom: { name: 'c' } };

  test('come with their schemas; one without gets an empty one', () => {
    expect(asked({ tools: [tool, bare] })).toEqual({
      body: { ...PLAIN, tools: [sent, { name: 'now', input_schema: { type: 'object' } }] },
      unsupported: [],
    });
  });

  test('may end what is cached', () => {
    const cache_control = { type: 'ephemeral' };
    expect(asked({ tools: [{ ...tool, cache_control }] }).body.tools).toEqual([{ ...sent, cache_control }]);
  });

  test("that are the API's own go as they are", () => {
    const native = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2, cache_control: { type: 'ephemeral' } },
    ];
    expect(asked({ tools: [...native, tool] })).toEqual({ body: { ...PLAIN, tools: [...native, sent] }, unsupported: [] });
  });

  test("that are others' are left out and named", () => {
    const foreign = [custom, { type: 'web_search' }, { type: 'web_search_2025_08_26' }, 'none'];
    expect(asked({ tools: [...foreign, tool] })).toEqual({
      body: { ...PLAIN, tools: [sent] },
      unsupported: ['tools.custom', 'tools.web_search', 'tools.web_search', 'tools'],
    });
    expect(asked({ tools: [custom] })).toEqual({ body: PLAIN, unsupported: ['tools.custom'] });
  });

  test.each<[JsonObject, object]>([
    [{ tool_choice: 'auto' }, {}],
    [{ tool_choice: 'auto', parallel_tool_calls: true }, {}],
    [{ parallel_tool_calls: false }, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    [{ tool_choice: 'required' }, { tool_choice: { type: 'any' } }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { tool_choice: { type: 'none' } }],
    [
      { tool_choice: { type: 'function', function: { name: 'weather' } }, parallel_tool_calls: false },
      { tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
    ],
  ])('are chosen by %j', (changes, adds) => {
    expect(asked({ tools: [tool], ...changes })).toEqual({ body: { ...PLAIN, tools: [sent], ...adds }, unsupported: [] });
  });

  test('chosen in a way that the API has not: named', () => {
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } };
    expect(asked({ tools: [tool], tool_choice })).toEqual({ body: { ...PLAIN, tools: [sent] }, unsupported: ['tool_choice'] });
  });
});
