import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = (pipeline: JsonObject, more: JsonObject = {}) => ({ provider: 'local', model: 'echo-1', pipeline, ...more });
  gateway = await TestGateway.start({
    here: true,
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', routes: ['default'] },
      { principal_id: 'eve', roles: ['audit'] },
    ],
    config: echoConfig({
      protocols: [{ type: 'gemini' }],
      packs: {
        secrets: {},
        watch: { type: 'rules', mode: 'observe', rules: [{ name: 'seen', words: ['watched'], verdict: 'block' }] },
        budget: { limits: [{ scope: 'route', unit: 'requests', amount: 1, period: 'day' }] },
        cuts: { type: 'tools', rules: [{ name: 'reads', tools: ['read'], action: 'allow' }], offered: 'withhold' },
        broken: {
          type: 'webhook',
          url: 'http://127.0.0.1:1/',
          allow_private: true,
          secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
        },
      },
      routes: {
        guarded: route({ ingress: ['budget', 'watch', 'secrets', 'mask', 'policy'], egress: ['budget', 'mask', 'policy'] }),
        failing: route({ ingress: ['broken'], egress: [] }),
        tools: route({ ingress: ['cuts'], egress: ['cuts'] }),
        images: route({ ingress: ['mask'], egress: [] }, { unscannable: 'block' }),
      },
    }),
  });
});
afterAll(() => gateway.dispose());

const check = async (body: JsonObject, principal = 'alice') =>
  gateway.post('/v1/guard', { route: 'guarded', ...body }, principal);
const counted = async () => (await gateway.ledger()).length;

describe('a check of text', () => {
  it('allows, and returns the text', async () => {
    const { status, body, headers } = await check({ text: 'hello' });
    expect([status, body.verdict, body.code, body.guard, body.text]).toEqual([200, 'allow', null, null, 'hello']);
    expect(body.guards.map(({ node }: { node: string }) => node)).toEqual(['watch', 'secrets', 'mask', 'policy']);
    expect(body.not_asked).toEqual(['budget']);
    expect([body.run_id, headers.get('x-svc-run-id')]).toEqual([undefined, null]);
  });

  it('masks each text in its place, and finds types and counts only', async () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const { body } = await check({ texts: [`pay ACC-12 😀 ACC-3`, 'fine', `token ${key}`] });
    expect([body.verdict, body.texts[0], body.texts[1]]).toEqual(['sanitize', 'pay <ACCOUNT> 😀 <ACCOUNT>', 'fine']);
    expect(body.findings).toContainEqual({ entity_type: 'account', count: 2 });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  it.each([
    ['block', 'this is forbidden', 'forbidden'],
    ['require_approval', 'a wire transfer', 'wire'],
  ])('%s returns no text, and pauses nothing', async (verdict, text, code) => {
    const { body } = await check({ text: `${text} from ACC-12` });
    expect([body.verdict, body.guard, body.code, body.text]).toEqual([verdict, 'policy', code, undefined]);
    const { runs } = (await gateway.get('/v1/audit')).body;
    expect(runs.filter((run: JsonObject) => run.status === 'paused')).toEqual([]);
  });

  it('reports what an observing guard would do, and does not do it', async () => {
    const { body } = await check({ text: 'watched' });
    expect(body.verdict).toBe('allow');
    expect(body.guards[0]).toMatchObject({ event_type: 'observed', data: { verdict: 'block', code: 'seen' } });
  });

  it('uses the egress guards for an answer', async () => {
    const { body } = await check({ stage: 'egress', text: 'from ACC-12' });
    expect([body.verdict, body.text, body.guards.map(({ stage }: JsonObject) => stage)]).toEqual([
      'sanitize',
      'from <ACCOUNT>',
      ['egress', 'egress'],
    ]);
  });

  it('is blocked by a guard that fails', async () => {
    const { body } = await gateway.post('/v1/guard', { route: 'failing', text: 'hello' });
    expect([body.verdict, body.code, body.text]).toEqual(['block', 'SVC-NODE-001', undefined]);
  });

  it('without evidence, only a failure of a guard is in the metrics', async () => {
    await gateway.post('/v1/guard', { route: 'failing', text: 'hello' });
    await check({ text: 'hello' });
    const { text } = await gateway.get('/metrics');
    expect(text).toMatch(/^svc_guard_failures_total\{node="broken",.*\} [1-9]\d*$/m);
    expect(text).not.toMatch(/^svc_(?:verdicts_total|guard_duration_seconds\w*)\{/m);
  });

  it('spends no budget', async () => {
    for (let i = 0; i < 3; i++) expect((await check({ text: 'hello', evidence: true })).body.verdict).toBe('allow');
    expect((await gateway.chat('hello', { model: 'guarded' })).body.choices[0].finish_reason).toBe('stop');
  });
});

describe('a check of a body', () => {
  const CHAT = { model: 'gpt-9', seed: 7, messages: [{ role: 'user', content: [{ type: 'text', text: 'ACC-1' }] }] };
  it.each<[string, JsonObject, JsonObject]>([
    ['openai.chat', CHAT, { ...CHAT, messages: [{ role: 'user', content: [{ type: 'text', text: '<ACCOUNT>' }] }] }],
    ['openai.responses', { input: 'ACC-1', future: ['ACC-2'] }, { input: '<ACCOUNT>', future: ['<ACCOUNT>'] }],
    [
      'anthropic.messages',
      { model: 'm', system: 'ACC-1', max_tokens: 5, messages: [] },
      { model: 'm', system: '<ACCOUNT>', max_tokens: 5, messages: [] },
    ],
    [
      'google.gemini',
      { contents: [{ role: 'user', parts: [{ text: 'ACC-1' }, { functionCall: { name: 'pay', args: { from: 'ACC-2' } } }] }] },
      {
        contents: [
          { role: 'user', parts: [{ text: '<ACCOUNT>' }, { functionCall: { name: 'pay', args: { from: '<ACCOUNT>' } } }] },
        ],
      },
    ],
  ])('a request of %s is returned with edits and otherwise unchanged', async (protocol, body, edited) => {
    expect((await check({ body, protocol })).body).toMatchObject({ verdict: 'sanitize', body: edited });
  });

  it('so is an answer, without fields that no guard can check', async () => {
    const message = { role: 'assistant', content: 'ACC-1' };
    const body = {
      id: 'x',
      choices: [{ index: 0, message, finish_reason: 'stop', logprobs: { content: [{ token: 'ACC-1' }] } }],
    };
    const answer = (await check({ stage: 'egress', body })).body;
    expect([answer.verdict, answer.body.choices[0].message.content, answer.left_out]).toEqual([
      'sanitize',
      '<ACCOUNT>',
      ['choices.logprobs'],
    ]);
    expect(JSON.stringify(answer)).not.toContain('ACC-1');
  });

  it('an answer of Gemini is returned with edits, and its tools are judged', async () => {
    const parts = (text: string) => [{ text }];
    const body = { candidates: [{ content: { role: 'model', parts: parts('from ACC-12') }, finishReason: 'STOP' }] };
    const masked = (await check({ stage: 'egress', protocol: 'google.gemini', body })).body;
    expect([masked.verdict, masked.body.candidates[0].content.parts]).toEqual(['sanitize', parts('from <ACCOUNT>')]);
    const offer = (name: string) => ({ functionDeclarations: [{ name, parametersJsonSchema: { type: 'object' } }] });
    const asked = { contents: [{ role: 'user', parts: parts('Go.') }], tools: [offer('read'), offer('drop')] };
    const cut = (await gateway.post('/v1/guard', { route: 'tools', protocol: 'google.gemini', body: asked })).body;
    expect([cut.verdict, cut.body.tools]).toEqual(['sanitize', [offer('read')]]);
  });

  it('parts that no guard can read are reported, and follow the rule of the route', async () => {
    const body = {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }],
    };
    expect((await check({ body })).body.guards[1].data.scanned.skipped).toMatchObject([{ why: 'image' }]);
    expect((await gateway.post('/v1/guard', { route: 'images', body })).body).toMatchObject({
      verdict: 'block',
      guard: 'unscannable',
    });
  });

  it.each<[string, JsonObject]>([
    ['no text', {}],
    ['two', { text: 'a', texts: ['b'] }],
    ['no texts', { texts: [] }],
    ['a protocol of a text', { text: 'a', protocol: 'openai.chat' }],
    ['an unknown protocol', { body: {}, protocol: 'x' }],
    ['an unknown field', { text: 'a', pause: true }],
    ['an unknown stage', { text: 'a', stage: 'execute' }],
    ['a chat without messages', { body: {} }],
    ['messages that are none', { body: { messages: [7] } }],
    ['an unknown role', { body: { messages: [{ role: 'root', content: 'a' }] } }],
    ['an answer that is none', { stage: 'egress', body: { messages: [] } }],
    ['an answer that is none, of the Messages API', { stage: 'egress', body: { content: 7 }, protocol: 'anthropic.messages' }],
  ])('%s: 400', async (_what, body) => {
    const answer = await check(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'SVC-REQ-001']);
  });
});

describe('access', () => {
  it("is allowed for the route's key with the role call", async () => {
    expect((await check({ text: 'a' }, 'bob')).body.code).toBe('SVC-AUTH-002');
    expect((await check({ text: 'a' }, 'eve')).body.code).toBe('SVC-AUTH-002');
    expect((await check({ text: 'a', route: 'nowhere' })).status).toBe(404);
    expect((await gateway.post('/v1/guard', { text: 'a' })).body.code).toBe('SVC-REQ-001');
  });
});

describe('evidence', () => {
  it('is written only if requested', async () => {
    const before = await counted();
    await check({ text: 'ACC-1' });
    expect(await counted()).toBe(before);
  });

  it.each([
    ['completed', 'ACC-1', 'sanitize'],
    ['blocked', 'a wire transfer', 'require_approval'],
  ])('is a %s run that says it was a check', async (status, text, verdict) => {
    const { body, headers } = await check({ text, evidence: true });
    const [seq] = String(headers.get('x-svc-evidence')).split(' ');
    const record = (await gateway.ledger()).find((each) => String(each.seq) === seq);
    expect(record).toMatchObject({ run_id: body.run_id, status, model_id: 'guarded' });
    const events = record?.events as JsonObject[];
    expect(events[1]).toMatchObject({ event_type: 'checked', stage: 'ingress', data: { not_asked: ['budget'] } });
    expect(events.some(({ data }) => (data as JsonObject).verdict === verdict)).toBe(true);
    expect(events.some(({ event_type }) => event_type === 'provider_call')).toBe(false);
    expect(JSON.stringify(record)).not.toContain('ACC-1');
    expect((await gateway.get(`/v1/runs/${body.run_id}`)).body.status).toBe(status);
  });
});

describe("LiteLLM's form", () => {
  const pathOf = (route: string) => `/v1/guard/${route}/beta/litellm_basic_guardrail_api`;
  const PATH = pathOf('guarded');
  const ask = async (body: JsonObject, route = 'guarded') =>
    (await gateway.post(pathOf(route), { request_data: {}, litellm_version: '1', input_type: 'request', ...body })).body;
  const toolOf = (name: string) => ({ type: 'function', function: { name } });

  it('accepts the key as x-api-key, and records each check', async () => {
    const before = await counted();
    const headers = { 'x-api-key': gateway.key('alice') };
    const answer = await gateway.request('POST', PATH, {
      principal: null,
      headers,
      body: { input_type: 'request', texts: ['hi'] },
    });
    expect([answer.status, answer.body]).toEqual([200, { action: 'NONE' }]);
    expect(await counted()).toBe(before + 1);
  });

  it('returns edited texts and tools', async () => {
    const structured_messages = [
      { role: 'system', content: 'hi' },
      { role: 'user', content: [{ type: 'text', text: 'ACC-1' }] },
    ];
    const tools = [{ type: 'function', function: { name: 'f', description: 'of ACC-2' } }];
    expect(await ask({ texts: ['hi', 'ACC-1'], structured_messages, tools })).toEqual({
      action: 'GUARDRAIL_INTERVENED',
      texts: ['hi', '<ACCOUNT>'],
      tools: [{ type: 'function', function: { name: 'f', description: 'of <ACCOUNT>' } }],
    });
  });

  it.each<[string, JsonObject]>([
    ['a blocked text', { texts: ['forbidden'] }],
    ['a text that needs approval', { texts: ['wire transfer'] }],
    ['an answer that needs approval', { input_type: 'response', texts: ['wire transfer'] }],
    [
      'an edit of a tool call',
      { texts: ['hi'], tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"ACC-1"}' } }] },
    ],
    [
      'an edit of a message that is not among the texts',
      { texts: ['hi'], structured_messages: [{ role: 'user', content: 'ACC-1' }] },
    ],
    [
      'an answer with a repeated key, of which guards see one',
      {
        input_type: 'response',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"x","a":"y"}' } }],
      },
    ],
  ])('blocks %s', async (_what, body) => {
    const answer = await ask(body);
    expect(answer.action).toBe('BLOCKED');
    expect(answer.blocked_reason).toMatch(/^(?:guard "\w+" \(\w+\)|the gateway) .*, run [0-9a-f-]{36}/);
    expect(JSON.stringify(answer)).not.toContain('ACC-1');
  });

  it.each<[string, JsonObject]>([
    ['name', { name: 'ACC-1' }],
    ['refusal', { refusal: 'ACC-1' }],
    ['tool calls', { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"ACC-1"}' } }] }],
    ['tool calls of another shape', { tool_calls: 'ACC-1' }],
    ['unknown field', { future: { a: ['ACC-1'] } }],
    ['unknown part', { content: [{ type: 'text', text: 'hi' }, 'ACC-1'] }],
  ])('blocks an edit of the %s of a message, which is not among the texts', async (_what, fields) => {
    const message = { role: 'user', content: 'hi', ...fields };
    expect((await ask({ texts: ['hi'], structured_messages: [message] })).action).toBe('BLOCKED');
  });

  it('logs how many messages have an unknown role, and shows them to guards as those of a user', async () => {
    const structured_messages = [{ role: 'ACC-1', content: 'hi' }];
    expect(await ask({ texts: ['hi'], structured_messages })).toEqual({ action: 'NONE' });
    const line = await gateway.until((output) => output.split('\n').find((each) => each.includes('"event":"unknown_roles"')));
    expect(JSON.parse(line)).toMatchObject({ messages: 1 });
    expect(line).not.toContain('ACC-1');
  });

  it.each<[string, JsonObject]>([
    ['a number as content', { texts: [], structured_messages: [{ role: 'user', content: 7 }] }],
    ['a tool call without fields', { texts: ['hi'], tool_calls: [{}] }],
    ['a tool whose function is a number', { texts: ['hi'], tools: [{ type: 'function', function: 7 }] }],
    [
      'an answer with a call whose function is a number',
      { input_type: 'response', texts: ['hi'], tool_calls: [{ function: 7 }] },
    ],
  ])('allows %s, which has nothing to edit', async (_what, body) => {
    expect(await ask(body)).toEqual({ action: 'NONE' });
  });

  it('lists the parts of messages that no guard can read, each once', async () => {
    const url = 'data:image/png;base64,AAAA';
    const content = [
      { type: 'text', text: 'hi' },
      { type: 'image_url', image_url: { url } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ];
    await ask({ texts: ['hi'], images: [url], structured_messages: [{ role: 'user', content }] });
    const events = (await gateway.ledger()).at(-1)?.events as JsonObject[];
    expect(events.find(({ event_type }) => event_type === 'verdict')).toMatchObject({
      data: { scanned: { skipped: [{ why: 'image' }, { why: 'audio' }] } },
    });
  });

  it('returns the notice in place of a withheld result', async () => {
    const calls = [{ id: 'c', ...toolOf('salary') }];
    const structured_messages = [
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c', content: '9000' },
    ];
    const { action, texts } = await ask({ texts: ['9000'], structured_messages, tool_calls: calls }, 'tools');
    expect([action, texts]).toEqual(['GUARDRAIL_INTERVENED', [expect.stringMatching(/withheld/)]]);
  });

  it('returns the tools that may be offered, and blocks if there are none: LiteLLM ignores an empty list', async () => {
    const [read, salary] = [toolOf('read'), toolOf('salary')];
    expect((await ask({ texts: ['hi'], tools: [read, salary] }, 'tools')).tools).toEqual([read]);
    expect((await ask({ texts: ['hi'], tools: [salary] }, 'tools')).action).toBe('BLOCKED');
  });

  it('allows a tool call that differs only in spacing and escapes from what guards saw', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": "\\u00e9", "b": 1.0}' } };
    expect(await ask({ input_type: 'response', texts: ['hi'], tool_calls: [call] })).toEqual({ action: 'NONE' });
  });
});
