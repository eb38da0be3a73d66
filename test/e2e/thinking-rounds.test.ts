import { hash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@svc/contracts';
import { anthropic } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, completionOf, frames, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

const HANDLE = /^svc_opaque_[A-Za-z0-9_-]+$/;
const MAIL = 'ann@example.org';
const REDACTED = Buffer.from('what nobody may read').toString('base64');
/** Each text has one signature, as with the vendors, whose own differ with their keys. */
const signatureOf = (thinking: string): string => hash('sha256', thinking, 'base64');

let claude: Upstream;
let gemini: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  claude = await startUpstream(anthropic.answer());
  gemini = await startUpstream();
  const route = (provider: string, more: JsonObject = {}): JsonObject => ({
    provider,
    model: 'm-1',
    pipeline: { ingress: ['pii'], egress: ['pii'] },
    ...more,
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        claude: { type: 'anthropic', base_url: new URL(claude.url).origin, region: 'eu' },
        gemini: { type: 'openai', base_url: gemini.url, region: 'eu' },
      },
      packs: { pii: {} },
      routes: {
        default: route('claude'),
        gemini: route('gemini'),
        strict: route('claude', { unscannable: 'block' }),
        bare: route('claude', { pipeline: {} }),
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await claude.close();
  await gemini.close();
});

const skippedOf = async (run_id: string | null): Promise<unknown[]> => {
  const events: { event_type: string; stage: string; data: JsonObject }[] = (await gateway.get(`/v1/runs/${run_id}`)).body.events;
  return events.filter(({ event_type }) => event_type === 'verdict').map(({ data }) => Object(data.scanned).skipped);
};

describe('Claude with thinking and tools, behind pii', () => {
  const client = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key('alice'), maxRetries: 0 });
  const tools: Anthropic.Tool[] = [
    { name: 'mail', description: 'Writes.', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } },
  ];
  const asked = (messages: Anthropic.MessageParam[], more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) => ({
    model: 'default',
    max_tokens: 4_096,
    thinking: { type: 'adaptive' } as const,
    system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } }],
    tools,
    messages,
    ...more,
  });
  const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'mail', input: { n: 1 } });

  /** Answers as Claude does, and refuses like it: thinking that was altered, and a call of a tool without the thinking before it. */
  const thinks =
    (thinking: string, ...content: anthropic.AnthropicBlock[]): Behaviour =>
    (request, response) => {
      const { messages } = request.body as { messages: { role: string; content: JsonObject[] }[] };
      const intact = messages
        .filter(({ role }) => role === 'assistant')
        .every(({ content: [first, second] }) => isIntact(first) && second?.data === REDACTED);
      if (!intact) return anthropic.failure(400, 'invalid_request_error')(request, response);
      const thought = [
        { type: 'thinking', thinking, signature: signatureOf(thinking) },
        { type: 'redacted_thinking', data: REDACTED },
      ];
      const usage = { input_tokens: 2, cache_creation_input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 4 };
      const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
      return anthropic.answer({ content: [...thought, ...content], stop_reason, usage })(request, response);
    };
  const isIntact = (block: JsonObject | undefined): boolean =>
    block?.type === 'thinking' && block.signature === signatureOf(String(block.thinking));

  it.each([
    ['whole', false],
    ['streamed, with the helper', true],
  ])('three turns of the official client: %s', async (_how, streamed) => {
    claude.respond(
      thinks('To <EMAIL_ADDRESS_1> then.', { type: 'text', text: 'I write.' }, use('toolu_1') as anthropic.AnthropicBlock),
      thinks('Once more.', use('toolu_2') as anthropic.AnthropicBlock),
      thinks('Done.', { type: 'text', text: 'Written.' }),
      thinks('', { type: 'text', text: 'You are welcome.' }),
    );
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: `Write to ${MAIL}.` }];
    const options = { headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' } };
    const ask = () =>
      streamed
        ? client().messages.stream(asked(messages), options).finalMessage()
        : client().messages.create(asked(messages), options);
    for (const thinking of ['To <EMAIL_ADDRESS_1> then.', 'Once more.', 'Done.', '']) {
      const message = await ask();
      expect(message.content.slice(0, 2)).toEqual([
        { type: 'thinking', thinking, signature: expect.stringMatching(HANDLE) },
        { type: 'redacted_thinking', data: expect.stringMatching(HANDLE) },
      ]);
      expect(message.usage).toMatchObject({
        input_tokens: 2,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 3,
        output_tokens: 4,
      });
      messages.push({ role: 'assistant', content: message.content });
      const [call] = message.content.filter((block) => block.type === 'tool_use');
      messages.push({
        role: 'user',
        content: call === undefined ? 'Thanks.' : [{ type: 'tool_result', tool_use_id: call.id, content: `sent to ${MAIL}` }],
      });
    }
    const sent = claude.requests.at(-1);
    expect(sent?.text).not.toContain(MAIL);
    expect(sent?.text).not.toContain('svc_opaque_');
    expect(sent?.headers).toMatchObject({
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
      'anthropic-version': '2023-06-01',
    });
    expect(sent?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      system: [{ text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tools: [{ name: 'mail', cache_control: { type: 'ephemeral' } }],
    });
  });

  it('nothing that the provider accepts is reported as unsupported; the evidence lists unreadable parts', async () => {
    claude.respond(thinks('So.', { type: 'text', text: 'Yes.' }), thinks('Still.', { type: 'text', text: 'Yes.' }));
    const first = await client()
      .beta.messages.create({
        ...(asked([{ role: 'user', content: 'Well?' }]) as object as Anthropic.Beta.MessageCreateParamsNonStreaming),
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
        output_config: { effort: 'max' },
        betas: ['context-management-2025-06-27'],
      })
      .withResponse();
    expect(first.response.headers.get('x-svc-unsupported')).toBeNull();
    expect(claude.requests.at(-1)).toMatchObject({
      headers: { 'anthropic-beta': 'context-management-2025-06-27' },
      body: {
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
        output_config: { effort: 'max' },
        thinking: { type: 'adaptive' },
      },
    });
    const paths = ['content.0.signature', 'content.1.data'];
    const handles = (of: string) => paths.map((path) => ({ path: `${of}${path}`, why: 'handle' }));
    expect(await skippedOf(first.response.headers.get('x-svc-run-id'))).toEqual([[], handles('')]);
    const messages = [
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: first.data.content },
      { role: 'system', content: 'It is late.' },
      { role: 'user', content: 'Really?' },
    ] as Anthropic.MessageParam[];
    const { response } = await client().messages.create(asked(messages)).withResponse();
    expect(claude.requests.at(-1)?.body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'system', content: 'It is late.' }, { role: 'user' }],
    });
    expect(await skippedOf(response.headers.get('x-svc-run-id'))).toEqual([handles('messages.1.'), handles('')]);
  });

  it.each([false, true])(
    'thinking that a guard edits is edited for the caller, and goes back to the vendor unchanged (streamed: %s)',
    async (stream) => {
      const thinking = `I know bob@example.net. ${'x'.repeat(3_000)}`;
      claude.respond(thinks(thinking, { type: 'text', text: 'Yes.' }), thinks('So.', { type: 'text', text: 'Yes.' }));
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Who?' }];
      const message = stream
        ? await client().messages.stream(asked(messages)).finalMessage()
        : await client().messages.create(asked(messages));
      expect(message.content[0]).toEqual({
        type: 'thinking',
        thinking: thinking.replace('bob@example.net', '<EMAIL_ADDRESS_1>'),
        signature: expect.stringMatching(HANDLE),
      });
      const back: Anthropic.MessageParam[] = [...messages, { role: 'assistant', content: message.content }, ...messages];
      await client().messages.create(asked(back));
      expect(claude.requests.at(-1)?.body).toMatchObject({ messages: [{}, { content: [{ thinking }, {}, {}] }, {}] });
    },
  );

  it('thinking without a valid signature is checked, and not sent if a guard edits it', async () => {
    claude.respond(anthropic.answer());
    const block = (thinking: string) => ({ type: 'thinking' as const, thinking, signature: signatureOf(thinking) });
    const content = [block(`${MAIL}?`), block('Hm.'), { type: 'text' as const, text: 'Yes.' }];
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content },
      { role: 'user', content: 'Well?' },
    ];
    const { response } = await client().messages.create(asked(messages)).withResponse();
    expect(claude.requests.at(-1)?.body).toMatchObject({ messages: [{}, { content: [block('Hm.'), { text: 'Yes.' }] }, {}] });
    expect(response.headers.get('x-svc-unsupported')).toBe('messages.content');
  });

  it.each([
    ['the digits of a card, which base64 has', '4111111111111111'],
    ['a password, which base64url has', 'hunter2-hunter2'],
    ['a sentence', 'the card is 4111 1111 1111 1111'],
  ])('a model that writes %s instead of a signature reveals nothing', async (_what, text) => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: text },
      { type: 'redacted_thinking', data: text },
      { type: 'text', text: 'Yes.' },
    ];
    for (const stream of [false, true]) {
      for (const path of ['/v1/messages', '/v1/chat/completions']) {
        claude.respond(anthropic.answer({ content }));
        const body = { model: 'default', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }], stream };
        const said = await gateway.request('POST', path, { body });
        expect(said.text).toContain('Yes.');
        expect(said.text).not.toContain(text);
        for (const [, handle = ''] of said.text.matchAll(/svc_opaque_([A-Za-z0-9_-]+)/g))
          expect(Buffer.from(handle, 'base64url').includes(text)).toBe(false);
      }
    }
  });

  it("a caller cannot use another's handle", async () => {
    claude.respond(thinks('Hm.', { type: 'text', text: 'Yes.' }), anthropic.answer());
    const first = await client().messages.create(asked([{ role: 'user', content: 'Hi' }]));
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'Hi' },
    ];
    const body = { model: 'default', max_tokens: 64, messages };
    const others = await gateway.request('POST', '/v1/messages', { body, principal: 'bob' });
    expect(others.status).toBe(200);
    expect(claude.requests.at(-1)?.body).toMatchObject({ messages: [{}, { content: [{ type: 'text', text: 'Yes.' }] }, {}] });
    expect(claude.requests.at(-1)?.text).not.toMatch(/svc_opaque_|redacted/);
    expect(others.headers.get('x-svc-unsupported')).toBe('messages.content');
  });

  it('a route that refuses unreadable parts accepts only its own handles', async () => {
    claude.respond(thinks('Hm.', { type: 'text', text: 'Yes.' }), thinks('Hm.', { type: 'text', text: 'Yes.' }));
    const model = 'strict';
    const ask = (messages: Anthropic.MessageParam[]) => client().messages.create(asked(messages, { model }));
    const hi: Anthropic.MessageParam = { role: 'user', content: 'Hi' };
    const first = await ask([hi]);
    const second = await ask([hi, { role: 'assistant', content: first.content }, hi]);
    expect([first.stop_reason, second.stop_reason]).toEqual(['end_turn', 'end_turn']);
    const foreign = [{ type: 'thinking' as const, thinking: 'Hm.', signature: signatureOf('Hm.') }];
    expect(await ask([hi, { role: 'assistant', content: foreign }, hi])).toMatchObject({ svc_event: 'blocked' });
  });

  it('without guards nothing is changed', async () => {
    claude.respond(thinks('Hm.', { type: 'text', text: 'Yes.' }));
    const message = await client().messages.create(asked([{ role: 'user', content: 'Hi' }], { model: 'bare' }));
    expect(message.content).toMatchObject([{ signature: signatureOf('Hm.') }, { data: REDACTED }, { text: 'Yes.' }]);
  });
});

describe('tools of models that require their thinking to be sent back in the chat format, with pii', () => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });
  const tools = [{ type: 'function' as const, function: { name: 'mail', parameters: { type: 'object' } } }];
  const DETAIL = { type: 'reasoning.encrypted', data: REDACTED, id: 'rs_1', format: 'google-gemini-v1', index: 0 };

  /** As Gemini answers: a call whole in one piece, without an index. It refuses calls that come back without their signature. */
  const calls =
    (id: string): Behaviour =>
    (request, response) => {
      const { messages, stream } = request.body as { messages: JsonObject[]; stream?: boolean };
      const earlier = messages.filter(({ role }) => role === 'assistant');
      const intact = earlier.every(({ tool_calls, reasoning_details }) => {
        const [call] = tool_calls as unknown as { id: string; extra_content?: { google?: JsonObject } }[];
        const [detail] = reasoning_details as unknown as JsonObject[];
        return call?.extra_content?.google?.thought_signature === signatureOf(call?.id ?? '') && detail?.data === REDACTED;
      });
      if (!intact) {
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{}}');
        return;
      }
      const google = { thought_signature: signatureOf(id) };
      const call = { id, type: 'function', function: { name: 'mail', arguments: '{"n":1}' }, extra_content: { google } };
      const said = { role: 'assistant', content: null, reasoning: 'To them.', reasoning_details: [DETAIL], tool_calls: [call] };
      const head = { id: 'c', created: 1, model: 'm-1' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      if (stream !== true) {
        const choices = [{ index: 0, message: said, finish_reason: 'tool_calls' }];
        return answer({ ...completionOf({}, ''), choices } as never)(request, response);
      }
      const chunk = { ...head, object: 'chat.completion.chunk' };
      return frames([
        { ...chunk, choices: [{ index: 0, delta: said, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage },
      ])(request, response);
    };

  it.each([
    ['whole', false],
    ['streamed, with the helper', true],
  ])('three turns of the official client: %s', async (_how, streamed) => {
    gemini.respond(calls('call_a'), calls('call_b'), calls('call_c'));
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: `Write to ${MAIL}.` }];
    for (const id of ['call_a', 'call_b', 'call_c']) {
      const body = { model: 'gemini', messages, tools };
      const completion = streamed
        ? await client().chat.completions.stream(body).finalChatCompletion()
        : await client().chat.completions.create(body);
      const message = completion.choices[0]?.message;
      if (message === undefined) throw new Error('no message');
      expect(message).toMatchObject({
        tool_calls: [{ id, extra_content: { google: { thought_signature: expect.stringMatching(HANDLE) } } }],
        // The helper keeps the last piece of a text that it does not know.
        reasoning: streamed ? 'them.' : 'To them.',
        reasoning_details: [{ ...DETAIL, data: expect.stringMatching(HANDLE) }],
      });
      messages.push(message, { role: 'tool', tool_call_id: id, content: `sent to ${MAIL}` });
    }
    expect(gemini.requests.at(-1)?.text).not.toMatch(/svc_opaque_|ann@/);
  });

  it('a sentence in place of a signature is checked as text', async () => {
    const google = { thought_signature: `ask ${MAIL} for it` };
    const call = { id: 'c', type: 'function', function: { name: 'mail', arguments: '{}' }, extra_content: { google } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    gemini.respond(answer({ ...completionOf({}, ''), choices } as never));
    const said = await gateway.request('POST', '/v1/chat/completions', {
      body: { model: 'gemini', messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(said.text).not.toContain(MAIL);
    expect(await skippedOf(said.headers.get('x-svc-run-id'))).toEqual([[], []]);
  });

  it("Anthropic's own fields are not sent to other vendors, and are named, whole and streamed", async () => {
    const body = {
      model: 'gemini',
      max_tokens: 64,
      thinking: { type: 'adaptive' },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const whole = await gateway.request('POST', '/v1/messages', { body });
    expect(whole.headers.get('x-svc-unsupported')).toBe('thinking, messages.cache_control');
    expect(gemini.requests.at(-1)?.text).not.toMatch(/thinking|cache_control|anthropic/);
    const streamed = await gateway.request('POST', '/v1/messages', { body: { ...body, stream: true } });
    expect(streamed.text).toContain('"svc_unsupported":["thinking","messages.cache_control"]');
  });
});
