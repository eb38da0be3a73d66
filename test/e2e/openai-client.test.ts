import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, say, UPSTREAM_MODEL } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'transfer',
    description: 'Moves money.',
    strict: true,
    parameters: {
      type: 'object',
      properties: { to: { type: 'string', description: 'Name.' }, amount: { type: 'number', minimum: 0.5 } },
      required: ['to'],
      additionalProperties: false,
    },
  },
};

describe('a chat', () => {
  it('is answered whole: the upstream gets its model, the answer names the route', async () => {
    const { data, response } = await scene
      .client()
      .chat.completions.create({ model: 'default', messages: say('hello there') })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ message: { content: 'upstream: hello there' }, finish_reason: 'stop' });
    expect(data).toMatchObject({ object: 'chat.completion', model: 'default', usage: { total_tokens: 5 } });
    expect(scene.asked).toMatchObject({ path: '/v1/chat/completions', body: { model: UPSTREAM_MODEL } });
    const run_id = response.headers.get('x-svc-run-id');
    const [evidence] = await scene.evidence(run_id);
    expect(response.headers.get('x-svc-evidence')).toBe(`${evidence?.seq} ${evidence?.hash}`);
  });

  it("carries the gateway's key to the upstream, not the caller's", async () => {
    await scene.client().chat.completions.create({ model: 'default', messages: say('hello') });
    expect(scene.asked.headers.authorization).toBe('Bearer sk-upstream-0123456789');
    expect(JSON.stringify(scene.asked)).not.toContain(scene.gateway.key('alice'));
  });

  it.each(['default', 'bare'])('reaches the upstream with every parameter unchanged (route %s)', async (model) => {
    const parameters = {
      messages: [
        { role: 'system' as const, content: 'Be brief.', name: 'house' },
        { role: 'developer' as const, content: [{ type: 'text' as const, text: 'In English.' }] },
        { role: 'user' as const, content: 'hello', name: 'ann' },
      ],
      seed: 9_007_199_254_740_991,
      temperature: 0.1,
      top_p: 1e-7,
      presence_penalty: -2,
      frequency_penalty: 0,
      stop: ['\n', 'END'],
      logit_bias: { '50256': -100 },
      logprobs: true,
      top_logprobs: 3,
      max_completion_tokens: 77,
      n: 1,
      user: 'user-1',
      store: false,
      service_tier: 'auto' as const,
      reasoning_effort: 'low' as const,
      metadata: { ticket: '4711', team: 'risk' },
      tools: [TOOL],
      tool_choice: { type: 'function' as const, function: { name: 'transfer' } },
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'reply', strict: true, schema: { type: 'object', properties: { text: { type: 'string' } } } },
      },
      prediction: { type: 'content' as const, content: 'hello' },
      prompt_cache_key: 'key-1',
    };
    const unknown = { x_not_invented_yet: { deep: [1, null, true, { 'odd key': 'value' }] }, x_empty: {} };
    await scene.client().chat.completions.create({ model, ...parameters, ...unknown });
    expect(scene.asked.body).toEqual({ model: UPSTREAM_MODEL, ...parameters, ...unknown });
  });

  it('is masked before the upstream sees it, and the answer before the client sees it', async () => {
    const answer = await scene.client().chat.completions.create({
      model: 'default',
      messages: [
        { role: 'system', content: 'Serve ACC-11.' },
        { role: 'user', content: [{ type: 'text', text: 'pay ACC-22 from ACC-33' }] },
      ],
      metadata: { account: 'ACC-44' },
    });
    expect(scene.asked.text).not.toMatch(/ACC-\d/);
    expect(scene.asked.body).toMatchObject({
      messages: [{ content: 'Serve <ACCOUNT>.' }, { content: [{ type: 'text', text: 'pay <ACCOUNT> from <ACCOUNT>' }] }],
      metadata: { account: '<ACCOUNT>' },
    });
    expect(JSON.stringify(answer)).not.toMatch(/ACC-\d/);
    expect(await scene.everythingRecorded()).not.toMatch(/ACC-\d/);
  });

  it('that is blocked is a completion with finish_reason content_filter, one sentence and the run; the upstream is not called', async () => {
    const before = scene.upstream.requests.length;
    const answer = await scene.client().chat.completions.create({ model: 'default', messages: say('the forbidden thing') });
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'default', svc_run_id: expect.any(String) });
    expect(answer.choices).toHaveLength(1);
    expect(answer.choices[0]?.finish_reason).toBe('content_filter');
    expect(answer.choices[0]?.message.content).toMatch(/^[A-Z].*"policy".*\.$/);
    expect(answer.choices[0]?.message.content).not.toContain('the forbidden thing');
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('that waits for approval is answered by pick-up once it is approved', async () => {
    const answer = await scene.client().chat.completions.create({ model: 'default', messages: say('a wire transfer of ACC-5') });
    expect(answer.choices[0]?.finish_reason).toBe('content_filter');
    const run_id = 'svc_run_id' in answer ? String(answer.svc_run_id) : '';
    const { body } = await scene.gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
    expect(body).toMatchObject({ status: 'completed', response: 'upstream: a wire transfer of <ACCOUNT>' });
    const picked = await scene.gateway.get(`/v1/runs/${run_id}/response`);
    expect(picked.body.completion).toMatchObject({ object: 'chat.completion', usage: { total_tokens: expect.any(Number) } });
  });

  it("is assembled by the client's helper if streamed, masked", async () => {
    scene.upstream.respond(answer('to ACC-1, with thanks'));
    const stream = scene.client().chat.completions.stream({ model: 'default', messages: say('hello ACC-2') });
    expect(await stream.finalChatCompletion()).toMatchObject({
      model: 'default',
      choices: [{ message: { role: 'assistant', content: 'to <ACCOUNT>, with thanks' }, finish_reason: 'stop' }],
    });
    expect(scene.asked.body).toMatchObject({ messages: [{ content: 'hello <ACCOUNT>' }] });
  });

  it.each([
    ['blocked', 'the forbidden thing'],
    ['paused', 'a wire transfer'],
  ])('that is %s is one chunk if streamed', async (svc_event, content) => {
    const before = scene.upstream.requests.length;
    const stream = await scene.client().chat.completions.create({
      model: 'default',
      messages: say(content),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const delta = { role: 'assistant', content: expect.any(String) };
    const choices = [{ index: 0, finish_reason: 'content_filter', delta }];
    expect(chunks).toMatchObject([{ svc_event, svc_run_id: expect.any(String), choices }]);
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('over one kept connection, many times, leaves no listener behind', async () => {
    for (let i = 0; i < 30; i++) await scene.client().chat.completions.create({ model: 'bare', messages: say(`number ${i}`) });
    expect(scene.gateway.output).not.toContain('MaxListenersExceededWarning');
  });
});

describe('models', () => {
  it('are the routes', async () => {
    const models = [];
    for await (const model of scene.client().models.list()) models.push(model);
    expect(models).toEqual([
      { id: 'default', object: 'model', created: expect.any(Number), owned_by: 'svc' },
      { id: 'bare', object: 'model', created: expect.any(Number), owned_by: 'svc' },
    ]);
  });
});

describe('the client reads our refusals', () => {
  it('an unknown key is an AuthenticationError that says SVC-AUTH-001', async () => {
    const apiKey = `svc-${'0'.repeat(64)}`;
    for (const call of [
      () => scene.client({ apiKey }).chat.completions.create({ model: 'default', messages: say('hello') }),
      () => scene.client({ apiKey }).models.list(),
    ]) {
      const error: unknown = await call().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({
        status: 401,
        code: 'SVC-AUTH-001',
        type: 'authentication_error',
        message: expect.stringContaining('SVC-AUTH-001: '),
      });
    }
  });

  it('an unknown model is a NotFoundError, before the messages are looked at', async () => {
    const call = scene.client().chat.completions.create({ model: 'no-such-route', messages: [] });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ code: 'SVC-ROUTE-001', message: expect.stringContaining('SVC-ROUTE-001: ') });
  });

  it('empty messages are a BadRequestError', async () => {
    const error: unknown = await scene
      .client()
      .chat.completions.create({ model: 'default', messages: [] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 'SVC-REQ-001' });
  });
});

describe('usage', () => {
  it("is the provider's own", async () => {
    const { response } = await scene
      .client()
      .chat.completions.create({ model: 'default', messages: say('one two three') })
      .withResponse();
    const [call] = ofType(await scene.events(response.headers.get('x-svc-run-id')), 'provider_call');
    expect(call?.data).toMatchObject({
      provider: 'upstream',
      model: UPSTREAM_MODEL,
      region: 'us',
      attempt: 1,
      finish_reason: 'stop',
      usage: { input_tokens: 3, output_tokens: 4, cached_input_tokens: 0, estimated: false },
    });
  });
});
