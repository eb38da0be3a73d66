import { isSvcError, type JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markedBy, placesOf, textsShown } from '../test-screen.ts';
import { type MessagesRequest, readMessages } from './request.ts';

const HELLO = [{ role: 'user', content: 'hi' }];
const read = (body: JsonObject, headers = {}, vendor_tools: string[] = []) =>
  readMessages({ model: 'r', max_tokens: 9, messages: HELLO, ...body } as MessagesRequest, headers, { vendor_tools });
const messagesOf = (...messages: JsonObject[]) => read({ messages }).request.messages;

describe('what is asked', () => {
  it('is a conversation of the chat format, with the tools and settings that it has', () => {
    const { request, stream, unsupported } = read({
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [...HELLO, { role: 'system', content: 'It is late.' }],
      stream: true,
      stop_sequences: ['END'],
      temperature: 0.5,
      top_k: 3,
      thinking: { type: 'adaptive' },
      context_management: { edits: [] },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } }, task_budget: { total: 9 } },
      cache_control: { type: 'ephemeral' },
      metadata: { user_id: 'u-1' },
      tools: [
        { name: 'see', description: 'Looks.', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'not_invented_yet_20990101', name: 'x' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    const cache_control = { type: 'ephemeral' };
    const see = { name: 'see', description: 'Looks.', parameters: { type: 'object' } };
    expect(request).toEqual({
      model: 'r',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control }] },
        ...HELLO,
        { role: 'system', content: 'It is late.' },
      ],
      tools: [{ type: 'function', function: see, cache_control }],
      thinking: { type: 'adaptive' },
      context_management: { edits: [] },
      output_config: { task_budget: { total: 9 } },
      cache_control,
      anthropic_version: '2023-06-01',
      tool_choice: 'required',
      parallel_tool_calls: false,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      user: 'u-1',
      max_completion_tokens: 9,
      temperature: 0.5,
      stop: ['END'],
      stream_options: { include_usage: true },
    });
    expect(stream).toBe(true);
    expect(unsupported).toEqual(['top_k', 'tools.web_search', 'tools.other']);
  });

  it("has a vendor's tools where the route lists them, by version or for all; others are named, and cannot be chosen", () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
    ];
    const listed = ['bash', 'web_search_20250305'];
    const { request, unsupported } = read({ tools, tool_choice: { type: 'tool', name: 'bash' } }, {}, listed);
    expect(request.tools).toEqual(tools.slice(0, 2));
    expect(request.tool_choice).toEqual({ type: 'function', function: { name: 'bash' } });
    expect(unsupported).toEqual(['tools.web_fetch']);
    const chosen = read({ tools, tool_choice: { type: 'tool', name: 'web_fetch' } }, {}, listed);
    expect(chosen.request).not.toHaveProperty('tool_choice');
    expect(chosen.unsupported).toEqual(['tools.web_fetch', 'tool_choice']);
    expect(read({ tools: [{ type: 'web_search_20260209', name: 'web_search' }] }, {}, listed).request).not.toHaveProperty(
      'tools',
    );
    expect(read({ tools: [{ type: 'function', name: 'f' }] }, {}, listed).unsupported).toEqual(['tools.other']);
  });

  it('has the betas of its headers, and an effort that only this protocol has', () => {
    const headers = { 'anthropic-version': '2027-01-02', 'anthropic-beta': 'b-1, b-2,' };
    const { request } = read({ output_config: { effort: 'max' }, thinking: { type: 'disabled' } }, headers);
    expect(request).toMatchObject({
      anthropic_version: '2023-06-01',
      anthropic_beta: ['b-1', 'b-2'],
      output_config: { effort: 'max' },
      thinking: { type: 'disabled' },
    });
    expect(request).not.toHaveProperty('reasoning_effort');
    expect(read({}).request).not.toHaveProperty('anthropic_beta');
  });

  it('keeps calls with their results, and shows what tools gave beside text behind them', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(
      messagesOf(
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', source },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'S' },
            { type: 'redacted_thinking', data: 'R' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'see', input: { a: 1 }, cache_control: { type: 'ephemeral' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              cache_control: { type: 'ephemeral', ttl: '1h' },
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
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
      {
        role: 'assistant',
        content: 'I look.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'S' },
          { type: 'redacted_thinking', data: 'R' },
        ],
        tool_calls: [
          {
            id: 'toolu_1',
            type: 'function',
            function: { name: 'see', arguments: '{"a":1}' },
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'seen', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { role: 'user', content: [image, { type: 'text', text: 'Well?' }] },
    ]);
  });

  it('may hold documents', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' };
    const plain = { type: 'text', media_type: 'text/plain', data: 'Read me.' };
    expect(
      messagesOf({
        role: 'user',
        content: [
          { type: 'document', source: pdf, title: 'a.pdf' },
          { type: 'document', source: plain },
        ],
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
          { type: 'text', text: 'Read me.' },
        ],
      },
    ]);
  });
});

describe('is refused', () => {
  it.each<[string, JsonObject]>([
    ['a role that nobody knows', { messages: [{ role: 'tool', content: 'x' }] }],
    ['a turn that is none', { messages: ['x'] }],
    ['content that is none', { messages: [{ role: 'user', content: 7 }] }],
    ['a call without an input', { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f' }] }] }],
    ['a result of no call', { messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] }],
    ['nothing to say', { messages: [{ role: 'assistant', content: [{ type: 'not_invented_yet', text: 'x' }] }] }],
    ['thinking without its signature', { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }] }],
    ['a setting of thinking that is none', { thinking: 'much' }],
    ['a tool without a schema', { tools: [{ name: 'f' }] }],
    ['a choice that nobody knows', { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'some' } }],
  ])('%s', (_what, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'SVC-REQ-001' }));
  });
});

const marked = fc.uuid().map(markedBy);
const cached = fc.option(fc.record({ note: marked }), { nil: undefined });
const source = fc.oneof(
  fc.record({ type: fc.constant('url'), url: marked }),
  fc.record({ type: fc.constant('file'), file_id: marked }),
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: marked, cache_control: cached }),
  fc.record({ type: fc.constant('image'), source }),
  fc.record({
    type: fc.constant('document'),
    source: fc.record({ type: fc.constant('text'), data: marked }),
    title: fc.option(marked),
    context: fc.option(marked),
  }),
  fc.record({ type: fc.constantFrom('web_search_tool_result', 'not_invented_yet'), text: marked }),
);
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: marked, signature: marked, note: fc.option(marked) }),
  fc.record({ type: fc.constant('redacted_thinking'), data: marked }),
);
const turn = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'system'),
    content: fc.oneof(marked, fc.array(block, { maxLength: 3 })),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.array(
      fc.oneof(
        block,
        thinking,
        fc.record({
          type: fc.constant('tool_use'),
          cache_control: cached,
          id: marked,
          name: marked,
          input: fc.dictionary(marked, marked, { maxKeys: 2 }),
        }),
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant('user'),
    content: fc.tuple(
      fc.record({
        type: fc.constant('tool_result'),
        cache_control: cached,
        tool_use_id: marked,
        content: fc.oneof(marked, fc.array(block, { maxLength: 2 })),
      }),
      block,
    ),
  }),
);
const tool = fc.oneof(
  fc.record({ name: marked, description: marked, input_schema: fc.record({ title: marked }), cache_control: cached }),
  fc.record({ type: fc.constantFrom('web_search_20250305', 'bash_20250124', 'not_invented_yet'), name: marked, note: marked }),
);
const body = fc.record({
  messages: fc.array(turn, { minLength: 1, maxLength: 4 }),
  system: fc.option(fc.oneof(marked, fc.array(fc.record({ type: fc.constant('text'), text: marked, cache_control: cached }))), {
    nil: undefined,
  }),
  tools: fc.array(tool, { maxLength: 3 }),
  stop_sequences: fc.array(marked, { maxLength: 2 }),
  metadata: fc.record({ user_id: marked, ticket: marked }),
  thinking: fc.option(fc.record({ type: fc.constant('enabled'), note: marked }), { nil: undefined }),
  context_management: fc.option(fc.record({ edits: fc.array(fc.record({ type: marked })) }), { nil: undefined }),
  output_config: fc.option(fc.record({ effort: marked, note: marked }), { nil: undefined }),
  cache_control: cached,
  not_invented_yet: fc.option(marked, { nil: undefined }),
});

it('names of betas are looked at as any text', async () => {
  const { request } = read({}, { 'anthropic-beta': 'b-1,4111-1111-1111-1111' });
  expect(await textsShown(request)).toEqual(expect.arrayContaining(['b-1', '4111-1111-1111-1111']));
});

it('no text is neither looked at nor listed', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const asked = JSON.parse(JSON.stringify(given)) as JsonObject;
      let read_: ReturnType<typeof readMessages>;
      try {
        read_ = read(structuredClone(asked), {}, ['bash']);
      } catch (error) {
        // Nothing but what a vendor's own models said: nothing of it goes anywhere.
        expect(isSvcError(error)).toBe(true);
        return;
      }
      const sent = JSON.stringify(read_.request);
      const shown = (await textsShown(read_.request)).join('\n');
      for (const [text, path] of placesOf(asked)) {
        if (sent.includes(text)) expect(shown, path).toContain(text);
        else
          expect(
            read_.unsupported.some(
              (name) => name.split('.')[0] === path.split('.')[0] || (name === 'other' && !path.includes('.')),
            ),
            path,
          ).toBe(true);
      }
      for (const name of read_.unsupported) expect(name).toMatch(/^[a-z_.0-9]+$/);
    }),
  );
});
