import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, route, say } from './openai-scene.ts';

const guarded = { pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start({
    'sighted-only': route({ unscannable: 'block', ...guarded }),
    'eyes-on': route({ unscannable: 'require_approval', ...guarded }),
  });
});
afterAll(() => scene.close());

/** An answer that calls tools, as an upstream gives it. */
function callsOf(...calls: readonly { id: string; name: string; arguments: string }[]) {
  const [choice] = completionOf({}).choices;
  if (choice === undefined) throw new Error('no choice');
  const tool_calls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  const message = { role: 'assistant', content: null, tool_calls };
  return answer({ ...completionOf({}), choices: [{ ...choice, message, finish_reason: 'tool_calls' }] });
}

describe('tools', () => {
  const tools = [{ type: 'function' as const, function: { name: 'pay', parameters: { type: 'object' } } }];
  const written = '{"id":12345678901234567890,"amount":1.10,"rate":1e-7,"deep":[[{"é":"\\u00e9 \\ud83d\\ude00"}]],"none":null}';

  it('work for a whole round: call, result and final answer, with every digit of the arguments', async () => {
    scene.upstream.respond(
      callsOf({ id: 'call_1', name: 'pay', arguments: written }, { id: 'call_2', name: 'pay', arguments: '' }),
    );
    const client = scene.client();
    const first = await client.chat.completions.create({ model: 'default', messages: say('pay Ann'), tools });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const message = choice?.message;
    expect(message?.tool_calls?.map(({ id, type }) => [id, type])).toEqual([
      ['call_1', 'function'],
      ['call_2', 'function'],
    ]);
    const [call] = message?.tool_calls ?? [];
    const args = call?.type === 'function' ? call.function.arguments : '';
    expect(args).toContain('12345678901234567890');
    expect(args).toContain('1.10');
    expect(JSON.parse(args)).toEqual(JSON.parse(written));

    if (message === undefined) throw new Error('no message');
    const messages = [
      ...say('pay Ann'),
      message,
      { role: 'tool' as const, tool_call_id: 'call_1', content: '{"receipt":98765432109876543210,"to":"ACC-7"}' },
      { role: 'tool' as const, tool_call_id: 'call_2', content: [{ type: 'text' as const, text: 'done' }] },
    ];
    scene.upstream.respond(answer('Ann is paid.'));
    const last = await client.chat.completions.create({ model: 'default', messages, tools });
    expect(last.choices[0]?.message.content).toBe('Ann is paid.');
    expect(scene.asked.body).toMatchObject({
      tools,
      messages: [
        {},
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'pay', arguments: args } }, { id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"receipt":98765432109876543210,"to":"<ACCOUNT>"}' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'done' }] },
      ],
    });
  });

  it('that a model calls are masked leaf by leaf, keys and escaped text too', async () => {
    const hidden = '{"to":"\\u0041CC-31","ACC-32":[{"note":"for ACC-33"}],"n":4}';
    scene.upstream.respond(callsOf({ id: 'call_1', name: 'pay', arguments: hidden }));
    const { choices } = await scene.client().chat.completions.create({ model: 'default', messages: say('pay'), tools });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
      to: '<ACCOUNT>',
      '<ACCOUNT>': [{ note: 'for <ACCOUNT>' }],
      n: 4,
    });
  });

  it.each([
    ['no JSON', 'pay ACC-31 now', 'pay <ACCOUNT> now'],
    ['torn JSON', '{"to":"ACC-31', '{"to":"<ACCOUNT>'],
  ])('with arguments that are %s are still checked as text', async (_what, given, masked) => {
    scene.upstream.respond(callsOf({ id: 'call_1', name: 'pay', arguments: given }));
    const { choices } = await scene.client().chat.completions.create({ model: 'default', messages: say('pay'), tools });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call?.type === 'function' && call.function.arguments).toBe(masked);
  });
});

describe('arguments that are nested extremely deep', () => {
  it.each([500, 2000, 5000, 100_000])('(%i levels) carry no text past a guard, and cause no internal error', async (levels) => {
    const hidden = `${'{"a":'.repeat(levels)}"\\u0041CC-31"${'}'.repeat(levels)}`;
    scene.upstream.respond(callsOf({ id: 'call_1', name: 'pay', arguments: hidden }));
    const { status, text } = await scene.gateway.chat('pay');
    expect(status).not.toBe(500);
    // In the body the arguments are JSON in a string: the escape is escaped once more.
    expect(text).not.toContain('u0041CC-31');

    const called = { id: 'call_1', type: 'function', function: { name: 'pay', arguments: hidden } };
    const messages = [...say('pay'), { role: 'assistant', content: null, tool_calls: [called] }, ...say('go on')];
    const asked = scene.upstream.requests.length;
    const answered = await scene.gateway.post('/v1/chat/completions', { model: 'default', messages });
    expect(answered.status).not.toBe(500);
    for (const request of scene.upstream.requests.slice(asked)) expect(request.text).not.toContain('u0041CC-31');
  });
});

describe('n = 2', () => {
  it('gives both choices, both masked', async () => {
    scene.upstream.respond(answer('pay ACC-1 from ACC-2'));
    const { choices, usage } = await scene.client().chat.completions.create({ model: 'default', messages: say('hi'), n: 2 });
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'pay <ACCOUNT> from <ACCOUNT>'],
      [1, 'pay <ACCOUNT> from <ACCOUNT>'],
    ]);
    expect(usage?.completion_tokens).toBe(8);
    expect(scene.asked.body).toMatchObject({ n: 2 });
  });
});

describe('an image', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' as const } };
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'what is ACC-9?' }, image] }];
  const skipped = [{ path: 'messages.0.content.1.image_url.url', why: 'image' }];

  it('passes, and every verdict lists it as unchecked', async () => {
    const { response } = await scene.client().chat.completions.create({ model: 'default', messages }).withResponse();
    expect(scene.asked.body).toMatchObject({ messages: [{ content: [{ text: 'what is <ACCOUNT>?' }, image] }] });
    const verdicts = ofType(await scene.events(response.headers.get('x-svc-run-id')), 'verdict');
    expect(verdicts.map(({ stage, node, data }) => ({ stage, node, data }))).toMatchObject([
      { stage: 'ingress', node: 'mask', data: { verdict: 'sanitize', scanned: { skipped } } },
      { stage: 'ingress', node: 'policy', data: { verdict: 'allow', scanned: { skipped } } },
      { stage: 'egress', node: 'mask', data: { verdict: 'allow', scanned: { skipped: [] } } },
    ]);
  });

  it('is blocked if the route has unscannable: block', async () => {
    const before = scene.upstream.requests.length;
    const { choices, ...rest } = await scene.client().chat.completions.create({ model: 'sighted-only', messages });
    expect(choices[0]?.finish_reason).toBe('content_filter');
    const run_id = 'svc_run_id' in rest ? String(rest.svc_run_id) : '';
    expect(await scene.evidence(run_id)).toMatchObject([{ status: 'blocked' }]);
    const [verdict] = ofType(await scene.events(run_id), 'verdict');
    expect(verdict).toMatchObject({ stage: 'ingress', data: { verdict: 'block', scanned: { skipped } } });
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('waits for an approver if the route has unscannable: require_approval; once approved, it continues, masked', async () => {
    const before = scene.upstream.requests.length;
    const paused = await scene.client().chat.completions.create({ model: 'eyes-on', messages });
    expect(paused.choices[0]?.finish_reason).toBe('content_filter');
    expect(scene.upstream.requests).toHaveLength(before);
    const run_id = 'svc_run_id' in paused ? String(paused.svc_run_id) : '';
    const { body } = await scene.gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
    expect(body.status).toBe('completed');
    expect(scene.asked.body).toMatchObject({ messages: [{ content: [{ text: 'what is <ACCOUNT>?' }, image] }] });
  });

  it.each(['sighted-only', 'eyes-on'])('missing, text passes %s', async (model) => {
    const { choices } = await scene.client().chat.completions.create({ model, messages: say('hello') });
    expect(choices[0]?.message.content).toBe('upstream: hello');
  });
});

describe('fields of an answer that the gateway does not know', () => {
  const [choice] = completionOf({}).choices;
  const token = { token: 'ACC-9', bytes: null, logprob: -0.1, top_logprobs: [] };
  const rich = {
    ...completionOf({}, 'hello'),
    system_fingerprint: 'fp_1',
    x_citations: ['ACC-9'],
    choices: [
      {
        ...choice,
        index: 0,
        finish_reason: 'stop',
        logprobs: { content: [token], refusal: null },
        x_note: 'ACC-9',
        message: { role: 'assistant', content: 'hello', refusal: null, x_thoughts: { text: 'ACC-9' } },
      },
    ],
  };

  it('are checked as texts behind an egress guard, which logprobs cannot be', async () => {
    scene.upstream.respond(answer(rich));
    const got = await scene.client().chat.completions.create({ model: 'default', messages: say('hi'), logprobs: true });
    expect(got).toMatchObject({
      system_fingerprint: 'fp_1',
      x_citations: [expect.any(String)],
      choices: [{ x_note: expect.any(String), message: { content: 'hello', x_thoughts: { text: expect.any(String) } } }],
      svc_left_out: ['choices.logprobs'],
    });
    expect(got.choices[0]?.logprobs ?? null).toBeNull();
    expect(JSON.stringify(got)).not.toContain('ACC-9');
  });

  it('are kept without one', async () => {
    scene.upstream.respond(answer(rich));
    const got = await scene.client().chat.completions.create({ model: 'bare', messages: say('hi'), logprobs: true });
    const head = { id: expect.stringMatching(/^chatcmpl-/), created: expect.any(Number), model: 'bare' };
    expect(got).toEqual({ ...rich, ...head });
    expect(got.id).not.toBe(rich.id);
  });
});

describe('usage that the upstream does not give', () => {
  it.each(['default', 'bare'])('is counted, marked as estimated in the evidence, and part of the answer (%s)', async (model) => {
    const { usage: _, ...bare } = completionOf({}, 'some words of an answer');
    scene.upstream.respond(answer(bare));
    const { data, response } = await scene
      .client()
      .chat.completions.create({ model, messages: say('hello') })
      .withResponse();
    const [call] = ofType(await scene.events(response.headers.get('x-svc-run-id')), 'provider_call');
    expect(call?.data).toMatchObject({ usage: { estimated: true, input_tokens: expect.any(Number) } });
    expect(data.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(data.usage?.completion_tokens).toBeGreaterThan(0);
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
  });
});
