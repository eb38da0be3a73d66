import type { JsonObject } from '@svc/contracts';
import { responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, frames, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { chunk } from '../harness/stream-scene.ts';

const CHAT = '/v1/chat/completions';
const MAIL = 'ann.lee@example.org';
const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const mark = { type: 'rules', rules: [{ name: 'mark', words: ['FORBIDDEN'], verdict: 'block' }] };
  const guards = { ingress: ['pii', 'mark'], egress: ['pii'] };
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        chat: { type: 'openai', base_url: upstream.url, region: 'eu' },
        vendor: { type: 'openai', api: 'responses', base_url: upstream.url, region: 'eu' },
      },
      packs: { pii: {}, mark },
      routes: {
        default: { provider: 'chat', model: 'm-1' },
        guarded: { provider: 'chat', model: 'm-1', pipeline: guards },
        vendor: { provider: 'vendor', model: 'm-1' },
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const sent = () => upstream.requests.at(-1)?.body as JsonObject;
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const READ = { type: 'function', name: 'Read', description: 'Reads a file.', parameters, strict: false };
const NESTED_READ = { type: 'function', function: { name: 'Read', description: 'Reads a file.', parameters, strict: false } };
const GRAMMAR = { syntax: 'lark', definition: 'start: "*** Begin Patch" /.+/s' };
const APPLY = { type: 'custom', name: 'ApplyPatch', description: 'Edits files.', format: { type: 'grammar', ...GRAMMAR } };
const NESTED_APPLY = {
  type: 'custom',
  custom: { name: 'ApplyPatch', description: 'Edits files.', format: { type: 'grammar', grammar: GRAMMAR } },
};

/** As Cursor 3 asks in its agent mode. */
const ASKED: JsonObject = {
  input: [
    { role: 'system', content: 'You edit files.' },
    { role: 'user', content: [{ type: 'input_text', text: `Write to ${MAIL}.` }] },
  ],
  stream_options: { include_usage: true },
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'low' },
  truncation: 'disabled',
  prompt_cache_retention: '24h',
  previous_response_id: null,
  tools: [READ, APPLY],
  tool_choice: { type: 'auto' },
  max_output_tokens: 900,
};

const custom = { id: 'call_1', type: 'custom', custom: { name: 'ApplyPatch', input: PATCH } };
/** What Cursor reads, and says again. */
const asFunction = { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } };

function callsOf(text: string): JsonObject[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.flatMap((line) => JSON.parse(line.slice(6)).choices[0]?.delta.tool_calls ?? []);
}

describe('a request of the Responses API that is posted as a chat', () => {
  it('reaches the model as a chat, and is answered as one', async () => {
    const { status, body, headers } = await gateway.post(CHAT, { model: 'default', ...ASKED });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] });
    expect(sent()).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'You edit files.' },
        { role: 'user', content: `Write to ${MAIL}.` },
      ],
      tools: [NESTED_READ, NESTED_APPLY],
      tool_choice: 'auto',
      reasoning_effort: 'medium',
      verbosity: 'low',
      prompt_cache_retention: '24h',
      max_completion_tokens: 900,
    });
    expect(headers.get('x-svc-unsupported')?.split(/, ?/)).toEqual(expect.arrayContaining(['truncation']));
  });

  it('is answered in chunks if it requests a stream, with usage', async () => {
    upstream.respond(
      frames([
        chunk({ role: 'assistant', content: 'Hel' }),
        chunk({ content: 'lo.' }),
        chunk({}, { finish_reason: 'stop' }),
        { ...chunk({}), choices: [], usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } },
      ]),
    );
    const { text } = await gateway.post(CHAT, { model: 'default', ...ASKED, stream: true });
    const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
    const chunks = lines.map((line) => JSON.parse(line.slice(6)));
    expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello.');
    expect(chunks.filter(({ usage }) => usage != null)).toMatchObject([{ usage: { total_tokens: 6 } }]);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('accepts a text as input, instructions, and an empty list of messages', async () => {
    await gateway.post(CHAT, { model: 'default', input: 'hello', instructions: 'Be brief.', messages: [] });
    expect(sent()).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
    });
  });

  it('is masked, and stopped, by guards', async () => {
    await gateway.post(CHAT, { model: 'guarded', ...ASKED });
    expect(sent()).toMatchObject({ messages: [{}, { content: 'Write to <EMAIL_ADDRESS_1>.' }] });
    for (const stream of [false, true]) {
      const { text } = await gateway.post(CHAT, { model: 'guarded', input: 'FORBIDDEN', stream });
      expect(text).toContain('"finish_reason":"content_filter"');
    }
  });

  it('keeps tools that are in the form of chats', async () => {
    const noted = { ...NESTED_READ, note: 'kept' };
    const choice = { type: 'function', function: { name: 'Read' } };
    await gateway.post(CHAT, { model: 'default', input: 'hello', tools: [noted, APPLY], tool_choice: choice });
    expect(sent()).toMatchObject({ tools: [noted, NESTED_APPLY], tool_choice: choice });
    await gateway.post(CHAT, {
      model: 'default',
      input: 'hello',
      tools: [noted],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    expect(sent()).toMatchObject({ tools: [noted], tool_choice: 'required', parallel_tool_calls: false });
  });

  it("is sent without a vendor's tools that the route does not list", async () => {
    const { headers } = await gateway.post(CHAT, { model: 'default', input: 'hello', tools: [{ type: 'web_search' }, READ] });
    expect(sent()).toMatchObject({ tools: [NESTED_READ] });
    expect(headers.get('x-svc-unsupported')).toContain('tools.web_search');
  });

  it.each([
    [{ input: 5 }, 'body/input must be array'],
    [{ input: [{ role: 'nobody', content: 'x' }] }, 'body/input/0/role must be one of'],
    [{ input: [] }, 'body/input must contain at least one message'],
    [{ input: 'x', stream: 'yes' }, 'body/stream must be boolean or null'],
    [{ input: 'x', tools: [{ type: 'function', name: 7 }] }, 'body/tools/0/name must be string'],
    [
      { input: 'x', previous_response_id: 'resp_1' },
      'body/previous_response_id is not supported: the conversation is stored at the provider',
    ],
    [{ input: 'x', messages: 'y' }, 'body/messages must be array'],
    [{ messages: [] }, 'body/messages must NOT have fewer than 1 items'],
    [{}, "body must have required property 'messages'"],
  ])('%j is refused', async (body, detail) => {
    const answered = await gateway.post(CHAT, { model: 'default', ...body });
    expect([answered.status, answered.body.code]).toEqual([400, 'SVC-REQ-001']);
    expect(answered.body.detail).toContain(detail);
  });

  it('is a chat if it has messages', async () => {
    await gateway.post(CHAT, { model: 'default', input: 'x', messages: [{ role: 'user', content: 'y' }] });
    expect(sent()).toEqual({ model: 'm-1', input: 'x', messages: [{ role: 'user', content: 'y' }] });
  });
});

describe('a call of a custom tool, which Cursor reads as a function', () => {
  const turns = [
    { role: 'user', content: 'go on' },
    { type: 'function_call', call_id: 'call_1', name: 'ApplyPatch', arguments: PATCH },
    { type: 'function_call_output', call_id: 'call_1', output: 'Done.' },
  ];
  const messages = [
    { role: 'user', content: 'go on' },
    { role: 'assistant', content: null, tool_calls: [asFunction] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Done.' },
  ];

  it.each([
    ['input', { input: turns, tools: [READ, APPLY] }],
    ['messages', { messages, tools: [NESTED_READ, APPLY] }],
  ])('is a function call in the answer, and a custom call for the model in the next turn (%s)', async (_, asked) => {
    const { choices, ...whole } = completionOf({ model: 'm-1' }, '');
    const message = { role: 'assistant', content: null, tool_calls: [custom] };
    upstream.respond(answer({ ...whole, choices: [{ ...choices[0], message, finish_reason: 'tool_calls' }] } as never));
    const { body } = await gateway.post(CHAT, { model: 'default', ...asked });
    expect(body.choices[0].message.tool_calls).toEqual([asFunction]);
    expect(sent()).toMatchObject({
      messages: [{}, { role: 'assistant', tool_calls: [custom] }, { role: 'tool', tool_call_id: 'call_1', content: 'Done.' }],
      tools: [NESTED_READ, NESTED_APPLY],
    });
  });

  it.each(['default', 'guarded'])('is a function call in a stream (route %s)', async (model) => {
    const begun = { index: 0, id: 'call_1', type: 'custom', custom: { name: 'ApplyPatch', input: '' } };
    const pieces = [PATCH.slice(0, 9), PATCH.slice(9)].map((input) => chunk({ tool_calls: [{ index: 0, custom: { input } }] }));
    upstream.respond(frames([chunk({ tool_calls: [begun] }), ...pieces, chunk({}, { finish_reason: 'tool_calls' })]));
    const { text } = await gateway.post(CHAT, { model, input: 'go on', tools: [APPLY], stream: true });
    const calls = callsOf(text);
    expect(calls[0]).toMatchObject({ index: 0, id: 'call_1', type: 'function', function: { name: 'ApplyPatch' } });
    expect(calls.map((call) => Object(call.function).arguments ?? '').join('')).toBe(PATCH);
    expect(text).not.toContain('"custom"');
  });

  it.each([false, true])('goes to and from a vendor that speaks the Responses API (streamed: %s)', async (stream) => {
    const item = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_1',
      name: 'ApplyPatch',
      input: PATCH,
      status: 'completed',
    };
    upstream.respond(responses.answer({ output: [item] }));
    const { text, body } = await gateway.post(CHAT, { model: 'vendor', input: turns, tools: [READ, APPLY], stream });
    const calls = stream ? callsOf(text) : body.choices[0].message.tool_calls;
    expect(calls.map((call: JsonObject) => Object(call.function).arguments ?? '').join('')).toBe(PATCH);
    expect(text).not.toContain('"custom"');
    expect(sent()).toMatchObject({ tools: [READ, APPLY] });
    expect(sent().input).toEqual([
      expect.objectContaining({ role: 'user' }),
      expect.objectContaining({ type: 'custom_tool_call', call_id: 'call_1', name: 'ApplyPatch', input: PATCH }),
      expect.objectContaining({ type: 'custom_tool_call_output', call_id: 'call_1' }),
    ]);
  });
});
