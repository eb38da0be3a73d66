import type { ChatRequest } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { requestFromChat } from './request-from-chat.ts';

const USER = { role: 'user', content: 'hi' };
const translate = (more: Partial<ChatRequest>) => {
  const { body, lost } = requestFromChat({ model: 'm', messages: [USER], ...more });
  return { body, unsupported: lost };
};
const input = (...messages: ChatRequest['messages']) => translate({ messages }).body.input;
const ENCRYPTED = { type: 'reasoning.encrypted', id: 'rs_1', data: 'gAAA', format: 'openai-responses-v1' };

describe('a request', () => {
  test('stores nothing, and asks for encrypted reasoning', () => {
    expect(translate({ store: true })).toEqual({
      body: {
        model: 'm',
        input: [{ type: 'message', role: 'user', content: 'hi' }],
        store: false,
        include: ['reasoning.encrypted_content'],
      },
      unsupported: ['store'],
    });
  });

  test('has the parameters that both APIs have', () => {
    const schema = { type: 'object' };
    const same = {
      temperature: 0.5,
      top_p: 1,
      parallel_tool_calls: false,
      service_tier: 'flex',
      user: 'u',
      safety_identifier: 's',
    };
    const { body, unsupported } = translate({
      ...same,
      prompt_cache_key: 'k',
      max_tokens: 5,
      max_completion_tokens: 7,
      reasoning_effort: 'high',
      reasoning_summary: 'auto',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
      n: 1,
      store: false,
      svc_x: 1,
      seed: null,
    });
    expect(body).toMatchObject({
      ...same,
      prompt_cache_key: 'k',
      max_output_tokens: 7,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema, strict: true } },
    });
    expect(Object.keys(body)).not.toContain('svc_x');
    expect(unsupported).toEqual(['max_tokens']);
  });

  test('names the parameters without an equivalent', () => {
    const { body, unsupported } = translate({ n: 2, stop: ['x'], seed: 1, logprobs: true, web_search_options: {}, new_one: 1 });
    expect(unsupported).toEqual(['n', 'stop', 'seed', 'logprobs', 'web_search_options', 'other']);
    expect(JSON.stringify(body)).not.toMatch(/stop|seed|logprobs|new_one/);
  });

  test('has its tools, which are strict only if they were, and the chosen tool', () => {
    const definition = { syntax: 'lark', definition: 'start: "x"' };
    const { body } = translate({
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object' } } },
        { type: 'function', function: { name: 'g', strict: true } },
        { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'grammar', grammar: definition } } },
        { type: 'web_search', search_context_size: 'low' },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    expect(body.tools).toEqual([
      { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false },
      { type: 'function', name: 'g', parameters: null, strict: true },
      { type: 'custom', name: 'c', description: 'd', format: { type: 'grammar', ...definition } },
      { type: 'web_search', search_context_size: 'low' },
    ]);
    expect(body.tool_choice).toEqual({ type: 'function', name: 'f' });
    const allowed_tools = { mode: 'required', tools: [{ type: 'custom', custom: { name: 'c' } }] };
    expect(translate({ tool_choice: { type: 'allowed_tools', allowed_tools } }).body.tool_choice).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'custom', name: 'c' }],
    });
    expect(translate({ tool_choice: 'required' }).body.tool_choice).toBe('required');
  });
});

describe('a conversation', () => {
  test('consists of items, with reasoning before its result', () => {
    expect(
      input(
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: 'I look.',
          reasoning_details: [{ type: 'reasoning.summary', id: 'rs_1', summary: 'Hm.', format: ENCRYPTED.format }, ENCRYPTED],
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'call_2', type: 'custom', custom: { name: 'c', input: 'x' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'one' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'two' }] },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'user', content: [{ type: 'file', file: { file_data: 'AA==', filename: 'a.pdf' } }] },
      ),
    ).toEqual([
      { type: 'message', role: 'system', content: 'Be brief.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: 'x' },
      { type: 'function_call_output', call_id: 'call_1', output: 'one' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'two' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_file', file_data: 'AA==', filename: 'a.pdf' }] },
    ]);
  });

  test.each<[string, ChatRequest['messages'][number], readonly string[]]>([
    ['a name', { role: 'user', content: 'x', name: 'ann' }, ['messages.name']],
    [
      'reasoning of another API',
      { role: 'assistant', content: 'x', reasoning_details: [{ ...ENCRYPTED, format: 'anthropic-claude-v1' }] },
      ['messages.reasoning_details'],
    ],
    [
      'reasoning whose handle nobody opens',
      { role: 'assistant', content: 'x', reasoning_details: [{ ...ENCRYPTED, data: undefined }] },
      ['messages.reasoning_details'],
    ],
    [
      'a summary alone',
      {
        role: 'assistant',
        content: 'x',
        reasoning_details: [{ type: 'reasoning.summary', summary: 's', format: ENCRYPTED.format }],
      },
      ['messages.reasoning_details'],
    ],
    [
      'thinking that another vendor signed',
      {
        role: 'assistant',
        content: 'x',
        reasoning_content: 'Hm.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'QQ' }],
      },
      ['messages.thinking_blocks', 'messages.reasoning_content'],
    ],
    [
      'a mark for a cache',
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
      ['messages.content.cache_control'],
    ],
  ])('%s is left out, and named', (_what, message, lost) => {
    const { body, unsupported } = translate({ messages: [message] });
    expect(unsupported).toEqual(lost);
    expect(body.input).toHaveLength(1);
  });

  test('gets its thinking back, as a separate item or in its encrypted form', () => {
    const thought = { role: 'assistant', content: 'x', reasoning_content: 'Hm.' };
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
    expect(input(thought)).toEqual([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      said,
    ]);
    expect(input({ ...thought, reasoning_details: [ENCRYPTED] })).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
      said,
    ]);
  });

  test('has the calls of vendor tools again', () => {
    const call = { id: 'ws_1', type: 'web_search_call', status: 'completed' };
    expect(input({ role: 'assistant', content: null, vendor_calls: [call] })).toEqual([call]);
  });

  test.each<[string, ChatRequest['messages'][number]]>([
    ['audio', { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }],
    ['a role of before', { role: 'function', name: 'f', content: 'x' }],
    ['a result of no call', { role: 'tool', content: 'x' }],
    ['an image as an answer', { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
    ['a call of nothing', { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function' }] }],
  ])('%s is refused before it is sent', (_what, message) => {
    expect(() => translate({ messages: [message] })).toThrow(expect.objectContaining({ kind: 'unsupported', status: 400 }));
  });
});
