import { isSvcError, type JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markedBy, placesOf, textsShown } from '../test-screen.ts';
import { type ResponsesRequest, readResponses } from './request.ts';

const read = (body: JsonObject, keeps = false, vendor_tools: string[] = []) =>
  readResponses({ model: 'r', input: 'hi', ...body } as ResponsesRequest, { keeps, vendor_tools });
const messagesOf = (...input: JsonObject[]) => read({ input }).request.messages;

describe('what is asked', () => {
  it('is a conversation of the chat format', () => {
    const { request, stream, unsupported } = read({ instructions: 'Be brief.', input: 'Hello', stream: true });
    expect(request).toEqual({
      model: 'r',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream_options: { include_usage: true },
    });
    expect([stream, unsupported]).toEqual([true, []]);
  });

  it('keeps calls and their outputs together, and shows images of tools behind them', () => {
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

  it('has the tools that the chat format has, and names those of a vendor', () => {
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
    ]);
    expect(request.tool_choice).toEqual({ type: 'function', function: { name: 'crm__find' } });
    expect(request.parallel_tool_calls).toBe(false);
    expect(unsupported).toEqual(['tools.namespace.description', 'tools.web_search', 'tools.other']);
  });

  it('chooses no tool where none is left', () => {
    const { request } = read({ tools: [{ type: 'web_search' }], tool_choice: 'required', parallel_tool_calls: true });
    expect(Object.keys(request)).toEqual(['model', 'messages']);
  });

  it('may be of JSON, and of other settings', () => {
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
  const detail = (data: string) => ({ type: 'reasoning.encrypted', data, format });
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];

  it('stands in the message that it led to', () => {
    expect(messagesOf(enc('QQ', 'Hm.'), said, enc('Qg'), call, { ...call, type: 'function_call_output', output: 'x' })).toEqual([
      {
        ...said,
        reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.', format }, detail('QQ')],
      },
      { role: 'assistant', content: null, reasoning_details: [detail('Qg')], tool_calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ]);
  });

  it('that guards held until the text had left stands there too', () => {
    const reasoning_details = [detail('QQ')];
    expect(messagesOf(said, enc('QQ'), call)).toEqual([{ ...said, reasoning_details, tool_calls }]);
    expect(messagesOf(said, enc('QQ'), { role: 'user', content: 'x' })[0]).toEqual({ ...said, reasoning_details });
  });

  it('is left out, and named, where nobody encrypted it or it led to nothing', () => {
    for (const items of [[{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] }], [enc('QQ')]]) {
      const { request, unsupported } = read({ input: [...items, { role: 'user', content: 'x' }] });
      expect([request.messages, unsupported]).toEqual([[{ role: 'user', content: 'x' }], ['input.reasoning']]);
    }
  });

  it('is told encrypted to whoever asks for it', () => {
    expect(read({ include: ['reasoning.encrypted_content'] }).unsupported).toEqual([]);
    expect(read({ include: ['web_search_call.action.sources'] }).unsupported).toEqual(['include']);
    expect(read({ reasoning: { summary: 'auto' } }).request.reasoning_summary).toBe('auto');
  });
});

it("a vendor's tools pass where the route lists them", () => {
  const tools = [
    { type: 'web_search', search_context_size: 'low' },
    { type: 'mcp', server_url: 'x' },
  ];
  const { request, unsupported } = read({ tools, tool_choice: { type: 'web_search' } }, false, ['web_search']);
  expect([request.tools, request.tool_choice, unsupported]).toEqual([[tools[0]], { type: 'web_search' }, ['tools.mcp']]);
});

describe('where content is kept', () => {
  it('an earlier response stands between the instructions and the input', () => {
    const { continues, conversation } = read({ instructions: 'Be brief.', previous_response_id: 'resp_7' }, true);
    expect([continues, conversation]).toEqual([{ run_id: '7', at: 1 }, { from: 1 }]);
    expect(read({ previous_response_id: 'resp_7' }, true).continues).toEqual({ run_id: '7', at: 0 });
  });

  it.each<[boolean, JsonObject, object | null]>([
    [true, {}, { from: 0 }],
    [true, { store: null }, { from: 0 }],
    [true, { store: false }, null],
    [false, { store: true }, null],
  ])('%s: %j may be continued as %j', (keeps, body, conversation) => {
    expect(read(body, keeps).conversation).toEqual(conversation);
  });
});

describe('is refused', () => {
  it.each<[string, JsonObject]>([
    ['an earlier response where nothing is kept', { previous_response_id: 'resp_1' }],
    ['a conversation kept elsewhere', { conversation: 'conv_1' }],
    ['a prompt kept elsewhere', { prompt: { id: 'pmpt_1' } }],
    ['background work', { background: true }],
    ['a reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['a role that nobody knows', { input: [{ role: 'root', content: 'x' }] }],
    ['an item that is none', { input: ['x'] }],
    ['a call without an id', { input: [{ type: 'function_call', name: 'f', arguments: '' }] }],
    ['content that is none', { input: [{ role: 'user', content: 7 }] }],
    ['nothing to say', { input: [{ type: 'reasoning', summary: [] }] }],
    ['a tool without a name', { tools: [{ type: 'function' }] }],
    ['a tool without a type', { tools: [{}] }],
  ])('%s', (_what, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'SVC-REQ-001' }));
  });
});

const marked = fc.uuid().map(markedBy);
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('input_text', 'output_text', 'text'), text: marked, annotations: fc.constant([]) }),
  fc.record({ type: fc.constant('refusal'), refusal: marked }),
  fc.record({ type: fc.constant('input_image'), image_url: marked, detail: marked, file_id: fc.option(marked) }),
  fc.record({ type: fc.constant('input_file'), filename: marked, file_id: marked, file_url: fc.option(marked) }),
  fc.record({ type: fc.constantFrom('computer_screenshot', 'not_invented_yet'), image_url: marked }),
);
const content = fc.oneof(marked, fc.array(part, { maxLength: 3 }));
const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content, phase: fc.option(marked) }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: marked,
    name: marked,
    arguments: marked.map((text) => JSON.stringify({ [text]: [text] })),
  }),
  fc.record({
    type: fc.constant('custom_tool_call'),
    call_id: marked,
    name: marked,
    input: marked,
    namespace: fc.option(marked),
  }),
  fc.record({ type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: marked, output: content }),
  fc.record({
    type: fc.constant('reasoning'),
    summary: fc.array(fc.oneof(fc.record({ type: fc.constant('summary_text'), text: marked }), fc.record({ x: marked })), {
      maxLength: 2,
    }),
    encrypted_content: fc.option(fc.oneof(marked, fc.constant('QUJD'))),
    content: fc.option(fc.array(fc.record({ text: marked }), { maxLength: 1 })),
  }),
  fc.record({ type: fc.constantFrom('reasoning', 'web_search_call', 'mcp_call', 'not_invented_yet'), text: marked }),
);
const tool = fc.oneof(
  fc.record({ type: fc.constant('function'), name: marked, description: marked, parameters: fc.record({ title: marked }) }),
  fc.record({ type: fc.constant('custom'), name: marked, description: marked }),
  fc.record({
    type: fc.constant('namespace'),
    name: marked,
    description: marked,
    tools: fc.array(fc.record({ type: fc.constant('function'), name: marked, description: marked }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constantFrom('web_search', 'mcp', 'not_invented_yet'), server_url: marked }),
);
const named = fc.option(marked, { nil: undefined });
const body = fc.record({
  input: fc.oneof(marked, fc.array(item, { minLength: 1, maxLength: 4 })),
  instructions: named,
  tools: fc.array(tool, { maxLength: 3 }),
  tool_choice: fc.option(fc.record({ type: fc.constantFrom('function', 'custom'), name: marked }), { nil: undefined }),
  metadata: fc.record({ ticket: marked }),
  include: fc.option(fc.array(marked, { maxLength: 1 }), { nil: undefined }),
  reasoning: fc.option(fc.record({ summary: marked, effort: marked, mode: marked }), { nil: undefined }),
  user: named,
  safety_identifier: named,
  prompt_cache_key: named,
  text: fc.option(fc.record({ format: fc.record({ type: fc.constant('json_schema'), name: marked }) }), { nil: undefined }),
  not_invented_yet: named,
});

it('no text is neither looked at nor listed', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (asked) => {
      let given: ReturnType<typeof readResponses>;
      try {
        given = read(JSON.parse(JSON.stringify(asked)) as JsonObject, false, ['web_search']);
      } catch (error) {
        // A request of nothing but a vendor's own items: nothing of it goes anywhere.
        expect(isSvcError(error)).toBe(true);
        return;
      }
      const sent = JSON.stringify(given.request);
      const shown = (await textsShown(given.request)).join('\n');
      const isListed = (path: string): boolean =>
        given.unsupported.some((name) => name.split('.')[0] === path.split('.')[0] || (name === 'other' && !path.includes('.')));
      // A name that is chosen goes with the tools alone.
      const isMoot = (path: string): boolean => path.startsWith('tool_choice') && given.request.tools === undefined;
      for (const [text, path] of placesOf(asked)) {
        const inner = JSON.stringify(text).slice(1, -1);
        if (sent.includes(inner)) expect(shown, path).toContain(text);
        else if (!isMoot(path)) expect(isListed(path), `${path} in ${given.unsupported.join()}`).toBe(true);
      }
      for (const name of given.unsupported) expect(name).toMatch(/^[a-z_.0-9]+$/);
    }),
  );
});
