import type { JsonObject, RequestBody } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { requestToChat } from './request-to-chat.ts';

const read = (body: JsonObject) => {
  const { body: request, lost } = requestToChat({ model: 'r', input: 'hi', ...body } as RequestBody);
  return { request, unsupported: lost };
};
const messagesOf = (...input: JsonObject[]) => read({ input }).request.messages;

describe('a Responses request', () => {
  it('becomes a conversation of the chat format', () => {
    const { request, unsupported } = read({ instructions: 'Be brief.', input: 'Hello', stream: true });
    expect(request).toEqual({
      model: 'r',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(unsupported).toEqual([]);
  });

  it('keeps calls and their outputs together, and puts images of tools after them', () => {
    const image = { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'low' };
    expect(
      messagesOf(
        { role: 'user', content: [{ type: 'input_text', text: 'Look.' }, image] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'So I do.' }],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'see', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'seen' }, image] },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
        { role: 'user', content: 'Well?' },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: 'So I do.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'see', arguments: '{"a":1}' } },
          { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      { role: 'tool', tool_call_id: 'call_2', content: 'done' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } }] },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('has its tools, and keeps vendor tools unchanged', () => {
    const { request, unsupported } = read({
      tools: [
        { type: 'function', name: 'see', parameters: { type: 'object' }, strict: true },
        { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ type: 'function', name: 'find' }] },
        { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
        { type: 'web_search', external_web_access: false },
        { type: 'not_invented_yet' },
      ],
      tool_choice: { type: 'function', name: 'find', namespace: 'crm' },
      parallel_tool_calls: false,
    });
    expect(request.tools).toEqual([
      { type: 'function', function: { name: 'see', parameters: { type: 'object' }, strict: true } },
      { type: 'function', function: { name: 'crm__find' } },
      {
        type: 'custom',
        custom: { name: 'patch', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } } },
      },
      { type: 'web_search', external_web_access: false },
      { type: 'not_invented_yet' },
    ]);
    expect(request.tool_choice).toEqual({ type: 'function', function: { name: 'crm__find' } });
    expect(request.parallel_tool_calls).toBe(false);
    expect(unsupported).toEqual(['tools.namespace.description']);
  });

  it('chooses no tool if none is left', () => {
    const { request } = read({ tools: [], tool_choice: 'required', parallel_tool_calls: true });
    expect(Object.keys(request)).toEqual(['model', 'messages']);
  });

  it('may ask for JSON, and have other settings', () => {
    const schema = { type: 'object' };
    const { request } = read({
      text: { format: { type: 'json_schema', name: 'reply', strict: true, schema }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: null },
      max_output_tokens: 7,
      temperature: 0.5,
    });
    expect(request).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema } },
      verbosity: 'low',
      reasoning_effort: 'high',
      max_completion_tokens: 7,
      temperature: 0.5,
    });
  });
});

describe('reasoning', () => {
  const enc = (data: string, text?: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: text === undefined ? [] : [{ type: 'summary_text', text }],
    encrypted_content: data,
  });
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const said = { role: 'assistant', content: 'I look.' };
  const format = 'openai-responses-v1';
  const detail = (data: string) => ({ type: 'reasoning.encrypted', data, id: 'rs_1', format });
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];

  it('is in the message that it led to', () => {
    expect(messagesOf(enc('QQ', 'Hm.'), said, enc('Qg'), call, { ...call, type: 'function_call_output', output: 'x' })).toEqual([
      {
        ...said,
        reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.', format }, detail('QQ')],
      },
      { role: 'assistant', content: null, reasoning_details: [detail('Qg')], tool_calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ]);
  });

  it('after the text goes into the next message, or stays if there is none', () => {
    const reasoning_details = [detail('QQ')];
    expect(messagesOf(said, enc('QQ'), call)).toEqual([
      said,
      { role: 'assistant', content: null, reasoning_details, tool_calls },
    ]);
    expect(messagesOf(said, enc('QQ'), { role: 'user', content: 'x' })[0]).toEqual({ ...said, reasoning_details });
  });

  it('that is not encrypted is returned as a text', () => {
    const thought = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      content: [{ type: 'reasoning_text', text: 'So.' }],
      encrypted_content: null,
    };
    expect(messagesOf(thought, call)).toEqual([
      { role: 'assistant', content: null, reasoning_content: 'Hm.\n\nSo.', tool_calls },
    ]);
  });

  it('is left out and named if it is empty or led to nothing', () => {
    for (const items of [[{ type: 'reasoning', summary: [] }], [enc('QQ')]]) {
      const { request, unsupported } = read({ input: [...items, { role: 'user', content: 'x' }] });
      expect([request.messages, unsupported]).toEqual([[{ role: 'user', content: 'x' }], ['input.reasoning']]);
    }
  });

  it('is encrypted if the caller requests it', () => {
    expect(read({ include: ['reasoning.encrypted_content'] }).unsupported).toEqual([]);
    expect(read({ include: ['web_search_call.action.sources'] }).unsupported).toEqual(['include']);
    expect(read({ reasoning: { summary: 'auto' } }).request.reasoning_summary).toBe('auto');
  });
});

it('names lost content at every level', () => {
  const { request, unsupported } = read({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_file', file_url: 'https://example.org/a.pdf', filename: 'a.pdf' },
          { type: 'input_image', file_id: 'file_1' },
          { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'not_invented_yet' },
        ],
      },
      { role: 'assistant', content: 'y', phase: 'commentary' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'not_invented_yet' },
    ],
    tools: [{ type: 'function', name: 'f', defer_loading: true, mine: 1 }],
    text: { new: 1 },
    reasoning: { mode: 'pro' },
    metadata: { ticket: '7' },
    mine: 1,
    truncation: 'auto',
  });
  expect(request.messages).toEqual([
    { role: 'user', content: 'x' },
    { role: 'assistant', content: 'y' },
  ]);
  expect(unsupported).toEqual([
    ...['metadata', 'other', 'truncation', 'tools.function.defer_loading', 'tools.function.other'],
    ...[
      'input.content.input_file.file_url',
      'input.content.input_file',
      'input.content.input_image.file_id',
      'input.content.input_image',
    ],
    ...['input.content.prompt_cache_breakpoint', 'input.content.other', 'input.phase', 'input.web_search_call', 'input.other'],
    ...['text.other', 'reasoning.mode'],
  ]);
});

describe('the bridge refuses', () => {
  it.each<[string, JsonObject]>([
    ['an earlier response', { previous_response_id: 'resp_1' }],
    ['a conversation kept elsewhere', { conversation: 'conv_1' }],
    ['a prompt kept elsewhere', { prompt: { id: 'pmpt_1' } }],
    ['background work', { background: true }],
    ['a compaction', { input: [{ type: 'compaction', encrypted_content: 'gAAA' }] }],
    ['the wish for one', { input: [{ type: 'message', role: 'user', content: 'x' }, { type: 'compaction_trigger' }] }],
    ['a reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['a role that nobody knows', { input: [{ role: 'root', content: 'x' }] }],
    ['an item that is not an object', { input: ['x'] }],
    ['a call without an id', { input: [{ type: 'function_call', name: 'f', arguments: '' }] }],
    ['content that is none', { input: [{ role: 'user', content: 7 }] }],
    ['nothing to say', { input: [{ type: 'reasoning', summary: [] }] }],
    ['a tool without a name', { tools: [{ type: 'function' }] }],
    ['a tool without a type', { tools: [{}] }],
  ])('%s', (_what, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'SVC-REQ-001' }));
  });
});
