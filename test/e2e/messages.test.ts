import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, broken, completionOf, failure, SSE_HEADERS, sseFrame } from '../fixtures/upstream.ts';
import { chunk } from '../harness/stream-scene.ts';
import { OpenAiScene, ofType, say } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

const client = (key: { apiKey: string } | { authToken: string } = { apiKey: scene.gateway.key('alice') }) =>
  new Anthropic({ baseURL: scene.gateway.url, apiKey: null, authToken: null, maxRetries: 0, ...key });
const asked = (content: string, model = 'default') => ({ model, max_tokens: 64, messages: say(content) });
const TOOLS: Anthropic.ToolUnion[] = [
  { name: 'transfer', description: 'Moves money.', input_schema: { type: 'object', properties: {} } },
  { type: 'web_search_20250305', name: 'web_search' },
];

describe("Anthropic's official client", () => {
  it('gets a whole answer, with its key in either form: texts are masked in both directions, and the evidence is returned', async () => {
    const key = scene.gateway.key('alice');
    for (const form of [{ apiKey: key }, { authToken: key }]) {
      scene.upstream.respond(answer('to ACC-2'));
      const { data, response } = await client(form)
        .messages.create({ ...asked('pay ACC-3'), system: 'Serve ACC-1.', tools: TOOLS })
        .withResponse();
      expect(data).toMatchObject({
        type: 'message',
        model: 'default',
        content: [{ text: 'to <ACCOUNT>' }],
        stop_reason: 'end_turn',
      });
      const run_id = response.headers.get('x-svc-run-id');
      expect(data.id).toBe(`msg_${run_id}`);
      expect(response.headers.get('x-svc-unsupported')).toBe('tools.web_search');
      expect(scene.asked.path).toBe('/v1/chat/completions');
      expect(scene.asked.text).not.toMatch(/ACC-\d|web_search/);
      const [evidence] = await scene.evidence(run_id);
      expect(response.headers.get('x-svc-evidence')).toBe(`${evidence?.seq} ${evidence?.hash}`);
      expect(ofType(await scene.events(run_id), 'unsupported')).toMatchObject([{ data: { names: ['tools.web_search'] } }]);
    }
    expect(await scene.everythingRecorded()).not.toMatch(/ACC-\d/);
  });

  it.each(['bare', 'default'])('reads a stream to its end, and its helper joins it (route %s)', async (model) => {
    scene.upstream.respond(answer('Hello to you.'));
    const stream = client().messages.stream(asked('hello', model));
    const message = await stream.finalMessage();
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hello to you.' }], stop_reason: 'end_turn' });
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  it('calls a tool and gives its result', async () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'transfer', arguments: '{"to":"ACC-7"}' } }],
    };
    scene.upstream.respond(
      answer({ ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      answer('done'),
    );
    const first = await client()
      .messages.stream({ ...asked('pay'), tools: TOOLS })
      .finalMessage();
    expect(first).toMatchObject({
      content: [{ type: 'tool_use', id: 'call_1', name: 'transfer', input: { to: '<ACCOUNT>' } }],
      stop_reason: 'tool_use',
    });
    const messages: Anthropic.MessageParam[] = [
      ...say('pay'),
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'paid ACC-9' }] },
    ];
    const second = await client().messages.create({ ...asked(''), messages, tools: TOOLS });
    expect(second.content).toMatchObject([{ text: 'done' }]);
    expect(scene.asked.body).toMatchObject({
      messages: [
        { role: 'user', content: 'pay' },
        { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'paid <ACCOUNT>' },
      ],
    });
  });

  it('sends the whole conversation again if a thread is refused, and then stops using threads', async () => {
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'transfer', arguments: '{"to":"x"}' } }];
    const message = { role: 'assistant', content: null, tool_calls };
    scene.upstream.respond(
      answer({ ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      answer('Paid.'),
    );
    const transfer = {
      name: 'transfer',
      input_schema: { type: 'object' as const },
      run: () => 'paid',
      parse: (input: unknown) => input,
    };
    const before = scene.upstream.requests.length;
    const runner = client().beta.messages.toolRunner({ ...asked('pay'), tools: [transfer] });
    expect(await runner.runUntilDone()).toMatchObject({ content: [{ text: 'Paid.' }] });
    expect(scene.upstream.requests.length - before).toBe(2);
    expect(scene.asked.text).not.toContain('thread');
    const roles = [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: 'paid' }];
    expect(scene.asked.body).toMatchObject({ messages: roles });
  });

  it.each([{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }] as const)(
    'the thread %j is refused: earlier turns would be at the vendor, where no guard sees them',
    async (thread) => {
      const before = scene.upstream.requests.length;
      const refused = client().beta.messages.create({ ...asked('pay'), thread });
      await expect(refused).rejects.toMatchObject({
        status: 400,
        error: {
          code: 'SVC-REQ-001',
          detail: expect.stringContaining('body/thread'),
          error: { type: 'invalid_request_error', param: 'thread', details: { error_code: 'thread_unsupported_request' } },
        },
      });
      expect(scene.upstream.requests.length).toBe(before);
    },
  );

  it.each([
    ['forbidden', 'blocked'],
    ['a wire transfer', 'paused'],
  ])('%s: the message says why; streamed too', async (content, status) => {
    const whole = await client().messages.create(asked(content));
    expect(whole).toMatchObject({ stop_reason: 'end_turn', content: [{ text: expect.stringContaining('"policy"') }] });
    const { body } = await scene.gateway.get(`/v1/runs/${Reflect.get(whole, 'svc_run_id')}`);
    expect(body.status).toBe(status);
    const streamed = await client().messages.stream(asked(content)).finalMessage();
    expect(streamed).toMatchObject({ stop_reason: 'end_turn', content: [{ text: expect.stringContaining('"policy"') }] });
  });

  it('reads errors: of the upstream, within a stream, of the request, of the key and of the route', async () => {
    const kind = (type: string) => ({ error: { type: 'error', error: { type }, request_id: expect.any(String) } });
    scene.upstream.respond(failure(400));
    await expect(client().messages.create(asked('x', 'bare'))).rejects.toMatchObject({
      status: 400,
      ...kind('invalid_request_error'),
    });
    scene.upstream.respond(broken(sseFrame(chunk({ content: 'Hel' })), SSE_HEADERS));
    await expect(client().messages.stream(asked('x', 'bare')).finalMessage()).rejects.toThrow('SVC-PROV-001');
    await expect(client().messages.create({ ...asked('x'), messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const unknown = client({ apiKey: `svc-${'0'.repeat(64)}` });
    await expect(unknown.messages.create(asked('x'))).rejects.toMatchObject({ status: 401, ...kind('authentication_error') });
    await expect(client().messages.create(asked('x', 'none'))).rejects.toMatchObject({ status: 404, ...kind('not_found_error') });
  });

  it('counts tokens without a model call and a run', async () => {
    const before = scene.upstream.requests.length;
    const { input_tokens: few } = await client().messages.countTokens({ model: 'default', messages: say('hello') });
    const { input_tokens: many } = await client().messages.countTokens({ model: 'default', messages: say('hello '.repeat(100)) });
    expect(few).toBeGreaterThan(0);
    expect(many).toBeGreaterThan(few + 90);
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('lists the routes as models, and gets one', async () => {
    const listed = [];
    for await (const { id } of client().models.list()) listed.push(id);
    expect(listed).toEqual(expect.arrayContaining(['default', 'bare']));
    expect(await client().models.retrieve('default')).toMatchObject({ id: 'default' });
  });

  it('an x-api-key is not accepted on other endpoints', async () => {
    const headers = { 'x-api-key': scene.gateway.key('alice') };
    const { status } = await scene.gateway.request('POST', '/v1/runs', {
      principal: null,
      headers,
      body: { messages: say('hi') },
    });
    expect(status).toBe(401);
  });
});
