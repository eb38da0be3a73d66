import { type ChatRequest, isSvcError, type RequestBody } from '@svc/contracts';
import { describe, expect, it, test } from 'vitest';
import { requestFromChat } from './request-from-chat.ts';
import { requestToChat } from './request-to-chat.ts';

const HELLO = [{ role: 'user', content: 'hi' }];
const read = (body: object) => requestToChat({ model: 'r', max_tokens: 9, messages: HELLO, ...body } as RequestBody);
const messagesOf = (...messages: object[]) => read({ messages }).body.messages;
const write = (request: object) => requestFromChat({ model: 'claude-1', messages: HELLO, ...request } as ChatRequest);

describe('a request of the Messages API', () => {
  it('becomes a conversation of the chat format, with its tools and settings', () => {
    const cache_control = { type: 'ephemeral' };
    const { body, lost } = read({
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      messages: [...HELLO, { role: 'system', content: 'It is late.' }],
      stop_sequences: ['END'],
      temperature: 0.5,
      top_k: 3,
      thinking: { type: 'adaptive' },
      context_management: { edits: [] },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } }, task_budget: { total: 9 } },
      cache_control,
      metadata: { user_id: 'u-1' },
      anthropic_beta: ['b-1'],
      container: 'c',
      mcp_servers: [{ name: 's' }],
      tools: [
        {
          name: 'see',
          description: 'Looks.',
          input_schema: { type: 'object' },
          strict: true,
          defer_loading: false,
          cache_control,
        },
        { name: 'go', input_schema: { type: 'object' }, input_examples: [{}], eager_input_streaming: true, not_invented_yet: 1 },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'not_invented_yet', name: 'x' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(body).toEqual({
      model: 'r',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control }] },
        ...HELLO,
        { role: 'system', content: 'It is late.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'see', description: 'Looks.', parameters: { type: 'object' }, strict: true },
          cache_control,
        },
        { type: 'function', function: { name: 'go', parameters: { type: 'object' } } },
        { type: 'bash_20250124', name: 'bash' },
      ],
      thinking: { type: 'adaptive' },
      context_management: { edits: [] },
      output_config: { task_budget: { total: 9 } },
      cache_control,
      anthropic_beta: ['b-1'],
      tool_choice: 'required',
      parallel_tool_calls: false,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      user: 'u-1',
      max_completion_tokens: 9,
      temperature: 0.5,
      stop: ['END'],
    });
    expect(lost).toEqual([
      'top_k',
      'container',
      'mcp_servers',
      'tools.input_examples',
      'tools.eager_input_streaming',
      'tools.other',
    ]);
  });

  it('cannot choose a tool without an equivalent', () => {
    const tools = [
      { name: 'f', input_schema: {} },
      { type: 'x', name: 'web' },
    ];
    const { body, lost } = read({ tools, tool_choice: { type: 'tool', name: 'web' } });
    expect(body).not.toHaveProperty('tool_choice');
    expect(lost).toEqual(['tools.other', 'tool_choice']);
  });

  it('has an effort that exists only in this protocol, and the older name of its format', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const { body } = read({ output_config: { effort: 'max' }, output_format: format, thinking: { type: 'disabled' } });
    expect(body).toMatchObject({
      output_config: { effort: 'max' },
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
      thinking: { type: 'disabled' },
    });
    expect(body).not.toHaveProperty('reasoning_effort');
  });

  it('keeps calls together with their results, and puts images of tools after them', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const cache_control = { type: 'ephemeral' };
    expect(
      messagesOf(
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'S' },
            { type: 'redacted_thinking', data: 'R' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'see', input: { a: 1 }, cache_control },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              cache_control,
              content: [
                { type: 'text', text: 'seen' },
                { type: 'image', source },
              ],
            },
            { type: 'text', text: 'Well?' },
          ],
        },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: 'I look.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'S' },
          { type: 'redacted_thinking', data: 'R' },
        ],
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'see', arguments: '{"a":1}' }, cache_control }],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'seen', cache_control },
      { role: 'user', content: [image, { type: 'text', text: 'Well?' }] },
    ]);
  });

  it.each([[{ signature: '' }], [{}], [{ signature: null }]])('returns unsigned thinking to its vendor: %j', (more) => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', ...more },
      { type: 'text', text: 'Yes.' },
    ];
    const { body, lost } = read({ messages: [...HELLO, { role: 'assistant', content }] });
    expect(body.messages[1]).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' });
    expect(lost).toEqual([]);
  });

  it.each<[string, object, object[], string[]]>([
    [
      'a PDF with all that a document may have',
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'a.pdf',
        context: 'c',
        citations: { enabled: true },
      },
      [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } }],
      ['messages.content.document.context', 'messages.content.document.citations'],
    ],
    [
      'a document of text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Read me.' }, title: 't' },
      [{ type: 'text', text: 'Read me.' }],
      ['messages.content.document.title', 'messages.content.document.source'],
    ],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'a', citations: [{}] }] } },
      [{ type: 'text', text: 'a' }],
      ['messages.content.document.source', 'messages.content.document.citations'],
    ],
    [
      'a document at an address',
      { type: 'document', source: { type: 'url', url: 'https://x.example' } },
      [],
      ['messages.content.document.source.url'],
    ],
    [
      'a stored document',
      { type: 'document', source: { type: 'file', file_id: 'f' } },
      [],
      ['messages.content.document.source.file'],
    ],
    ['a stored image', { type: 'image', source: { type: 'file', file_id: 'f' } }, [], ['messages.content.image.source.file']],
    [
      'what was found',
      { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'a' }] },
      [{ type: 'text', text: 'a' }],
      ['messages.content.search_result'],
    ],
    ['a file for the container', { type: 'container_upload', file_id: 'f' }, [], ['messages.content.container_upload']],
    [
      'a text with citations',
      { type: 'text', text: 'a', citations: [{ type: 'char_location' }] },
      [{ type: 'text', text: 'a' }],
      ['messages.content.citations'],
    ],
    ['a block that nobody knows', { type: 'my secret', text: 'a' }, [], ['messages.content.other']],
  ])('names the lost content: %s', (_name, block, parts, lost) => {
    const read_ = read({ messages: [{ role: 'user', content: [block, { type: 'text', text: 'hi' }] }] });
    const said = [...parts, { type: 'text', text: 'hi' }];
    expect(read_.body.messages).toEqual([{ role: 'user', content: parts.length === 0 ? 'hi' : said }]);
    expect(read_.lost).toEqual(lost);
  });

  it.each<[string, object[], string[]]>([
    ['a failed tool', [{ type: 'tool_result', tool_use_id: 't', is_error: true }], ['messages.content.tool_result.is_error']],
    ['a tool that did not fail', [{ type: 'tool_result', tool_use_id: 't', is_error: false }], []],
    [
      'what a tool found',
      [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'search_result', source: 's', title: 't', content: [] }] }],
      ['messages.content.tool_result.search_result'],
    ],
    [
      'a result behind a text',
      [
        { type: 'text', text: 'a' },
        { type: 'tool_result', tool_use_id: 't' },
      ],
      ['messages.content'],
    ],
  ])('names the lost content: %s', (_name, content, lost) => {
    expect(read({ messages: [{ role: 'user', content }] }).lost).toEqual(lost);
  });

  it('names the order of thinking, text and calls', () => {
    const thinking = { type: 'thinking', thinking: 'a', signature: 'S' };
    const text = { type: 'text', text: 'b' };
    const call = { type: 'tool_use', id: 't', name: 'f', input: {} };
    const lostOf = (...content: object[]) => read({ messages: [{ role: 'assistant', content }] }).lost;
    expect(lostOf(thinking, text, call)).toEqual([]);
    expect(lostOf(thinking, text, thinking, call)).toEqual(['messages.content']);
    expect(lostOf(call, text)).toEqual(['messages.content']);
  });

  it.each<[string, object]>([
    ['a role that nobody knows', { messages: [{ role: 'tool', content: 'x' }] }],
    ['a turn that is none', { messages: ['x'] }],
    ['content that is none', { messages: [{ role: 'user', content: 7 }] }],
    ['a call without an input', { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f' }] }] }],
    ['a result of no call', { messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] }],
    ['nothing to say', { messages: [{ role: 'assistant', content: [{ type: 'not_invented_yet', text: 'x' }] }] }],
    [
      'a signature that is none',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 7 }] }] },
    ],
    ['a setting of thinking that is none', { thinking: 'much' }],
    ['a tool without a schema', { tools: [{ name: 'f' }] }],
    ['a choice that nobody knows', { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'some' } }],
  ])('is refused: %s', (_what, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'SVC-REQ-001' }));
    expect.assertions(1);
  });

  it('is refused with its place, but without its text', () => {
    const thrown = (() => {
      try {
        read({ messages: [{ role: 'secret', content: 'x' }] });
      } catch (error) {
        return error;
      }
      return null;
    })();
    expect(isSvcError(thrown) && thrown.message).not.toContain('secret');
  });
});

const PLAIN = { model: 'claude-1', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] };

describe('a parameter of the chat format', () => {
  test.each<[object, object]>([
    [{}, {}],
    [{ max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ max_tokens: 7, max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ user: 'user-1' }, { metadata: { user_id: 'user-1' } }],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ reasoning_effort: 'minimal' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    [
      { reasoning_effort: 'low', thinking: { type: 'disabled' } },
      { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
    ],
    [
      { output_config: { task_budget: { total: 9 } }, reasoning_effort: 'high', thinking: { type: 'adaptive' } },
      { thinking: { type: 'adaptive' }, output_config: { task_budget: { total: 9 }, effort: 'high' } },
    ],
    [{ context_management: { edits: [{ type: 'x' }] } }, { context_management: { edits: [{ type: 'x' }] } }],
    [{ anthropic_beta: ['b-1'] }, { anthropic_beta: ['b-1'] }],
    [{ response_format: { type: 'json_object' } }, { system: [{ type: 'text', text: expect.stringContaining('JSON') }] }],
    [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'reply', description: 'A reply.', schema: { type: 'object' } },
        },
      },
      { output_config: { format: { type: 'json_schema', schema: { description: 'A reply.', type: 'object' } } } },
    ],
    [{ n: 1, store: false, logprobs: false, logit_bias: {}, modalities: ['text'], service_tier: 'auto' }, {}],
    [{ stream: true, stream_options: { include_usage: true }, svc_run_id: 'r', seed: null, tools: null }, {}],
    [{ tools: [], tool_choice: 'auto', parallel_tool_calls: false }, {}],
  ])('%j is supported', (changes, adds) => {
    expect(write(changes)).toEqual({ body: { ...PLAIN, ...adds }, lost: [] });
  });

  test.each<object>([
    { n: 2 },
    { temperature: 1.5 },
    { seed: 7 },
    { logprobs: true },
    { logit_bias: { '50256': -100 } },
    { modalities: ['text', 'audio'] },
    { response_format: { type: 'not_invented_yet' } },
    { reasoning_effort: 'most' },
    { thinking: 'much' },
    { service_tier: 'flex' },
    { stop: '\n' },
    { metadata: { ticket: '1' } },
    { functions: [{ name: 'f' }] },
    { tool_choice: 'required' },
    { top_k: 5 },
  ])('%j is named, and not sent', (changes) => {
    expect(write(changes)).toEqual({ body: PLAIN, lost: Object.keys(changes) });
  });

  test('that a caller invented is named as other', () => expect(write({ my_secret: 1 }).lost).toEqual(['other']));

  test('for the limit is taken from the newer of two names, and the older one is named', () => {
    expect(write({ max_tokens: 7, max_completion_tokens: 9 })).toEqual({
      body: { ...PLAIN, max_tokens: 9 },
      lost: ['max_tokens'],
    });
  });
});

describe('tools of the chat format', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const tool = { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters, strict: true } };
  const sent = { name: 'weather', description: 'Tells it.', input_schema: parameters, strict: true };
  const custom = { type: 'custom', custom: { name: 'c' } };

  test('keep their schemas or get an empty one; cached tools and tools of the API itself stay', () => {
    const cache_control = { type: 'ephemeral' };
    const bare = { type: 'function', function: { name: 'now', strict: false }, cache_control };
    const native = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
    expect(write({ tools: [tool, bare, native] })).toEqual({
      body: { ...PLAIN, tools: [sent, { name: 'now', input_schema: { type: 'object' }, cache_control }, native] },
      lost: [],
    });
  });

  test('of other vendors are left out and named', () => {
    const foreign = [custom, { type: 'web_search' }, { type: 'web_search_2025_08_26' }, 'none'];
    expect(write({ tools: [...foreign, tool] })).toEqual({
      body: { ...PLAIN, tools: [sent] },
      lost: ['tools.custom', 'tools.web_search', 'tools'],
    });
  });

  test.each<[object, object]>([
    [{ tool_choice: 'auto', parallel_tool_calls: true }, {}],
    [{ parallel_tool_calls: false }, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    [{ tool_choice: 'required' }, { tool_choice: { type: 'any' } }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { tool_choice: { type: 'none' } }],
    [{ tool_choice: { type: 'function', function: { name: 'weather' } } }, { tool_choice: { type: 'tool', name: 'weather' } }],
  ])('are chosen by %j', (changes, adds) => {
    expect(write({ tools: [tool], ...changes })).toEqual({ body: { ...PLAIN, tools: [sent], ...adds }, lost: [] });
  });

  test('are named if they are chosen in a way that the API does not have', () => {
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } };
    expect(write({ tools: [tool], tool_choice }).lost).toEqual(['tool_choice']);
  });
});
