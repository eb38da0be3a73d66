import { createOpenAI } from '@ai-sdk/openai';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, broken, completionOf, failure, SSE_HEADERS, sseFrame } from '../fixtures/upstream.ts';
import { chunk } from '../harness/stream-scene.ts';
import { OpenAiScene, ofType, route } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start({ whole: route({ pipeline: { ingress: ['mask'], egress: ['json'] } }) }, undefined, {
    json: { type: 'schema' },
  });
});
afterAll(() => scene.close());

const TOOLS: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'transfer', strict: true, parameters: { type: 'object', properties: {} } },
  { type: 'web_search' },
];
const called = { id: 'call_1', type: 'function', function: { name: 'transfer', arguments: '{"to":"ACC-7"}' } };

describe('the official client', () => {
  it('gets a whole answer: texts are masked in both directions, and the evidence is returned', async () => {
    scene.upstream.respond(answer('to ACC-2'));
    const { data, response } = await scene
      .client()
      .responses.create({ model: 'default', instructions: 'Serve ACC-1.', input: 'pay ACC-3', tools: TOOLS })
      .withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', model: 'default', output_text: 'to <ACCOUNT>' });
    expect(data.id).toBe(`resp_${response.headers.get('x-svc-run-id')}`);
    expect(response.headers.get('x-svc-unsupported')).toBe('tools.web_search');
    expect(scene.asked).toMatchObject({ path: '/v1/chat/completions' });
    expect(scene.asked.text).not.toMatch(/ACC-\d|web_search/);
    const run_id = response.headers.get('x-svc-run-id');
    const [evidence] = await scene.evidence(run_id);
    expect(response.headers.get('x-svc-evidence')).toBe(`${evidence?.seq} ${evidence?.hash}`);
    expect(ofType(await scene.events(run_id), 'unsupported')).toMatchObject([{ data: { names: ['tools.web_search'] } }]);
    expect(await scene.everythingRecorded()).not.toMatch(/ACC-\d/);
  });

  it.each(['bare', 'default', 'whole'])('reads a stream to its end, and its helper joins it (route %s)', async (model) => {
    scene.upstream.respond(answer('{"a": [1, 2]}'));
    const stream = scene.client().responses.stream({ model, input: 'Hello' });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
    const final = await stream.finalResponse();
    expect(final.output_text).toBe('{"a": [1, 2]}');
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('calls a tool and returns its result, for any number of turns', async () => {
    const calling = completionOf({}, '');
    const message = { role: 'assistant', content: null, tool_calls: [called] };
    scene.upstream.respond(answer({ ...calling, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }), answer('done'));
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'pay' }];
    const first = await scene.client().responses.stream({ model: 'default', input, tools: TOOLS }).finalResponse();
    const [made] = first.output;
    expect(made).toMatchObject({ type: 'function_call', call_id: 'call_1', name: 'transfer', arguments: '{"to":"<ACCOUNT>"}' });
    input.push(...(first.output as OpenAI.Responses.ResponseInput));
    input.push({ type: 'function_call_output', call_id: 'call_1', output: 'paid ACC-9' });
    const second = await scene.client().responses.create({ model: 'default', input, tools: TOOLS });
    expect(second.output_text).toBe('done');
    expect(scene.asked.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'paid <ACCOUNT>' },
      ],
    });
  });

  it.each([
    ['forbidden', 'blocked'],
    ['a wire transfer', 'paused'],
  ])('%s: the response is a text that says why; streamed too', async (input, status) => {
    const whole = await scene.client().responses.create({ model: 'default', input });
    expect(whole).toMatchObject({
      status: 'completed',
      incomplete_details: null,
      output_text: expect.stringContaining('"policy"'),
    });
    const run_id = String(Reflect.get(whole, 'svc_run_id'));
    expect((await scene.gateway.get(`/v1/runs/${run_id}`)).body.status).toBe(status);
    const events = [];
    for await (const event of await scene.client().responses.create({ model: 'default', input, stream: true }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { svc_event: status } });
    expect(events.some(({ type }) => type === 'response.output_text.done')).toBe(true);
  });

  it('a stop breaks no parser of structured output', async () => {
    const format = { type: 'json_schema' as const, name: 'n', strict: true, schema: { type: 'object' } };
    const parsed = await scene.client().responses.parse({ model: 'default', input: 'forbidden', text: { format } });
    expect(parsed.output_parsed).toBeNull();
  });

  it('reads errors: of the upstream, before a stream and within it, of the request and of the key', async () => {
    scene.upstream.respond(failure(400));
    const call = () => scene.client().responses.create({ model: 'bare', input: 'x' });
    await expect(call()).rejects.toMatchObject({ status: 400, code: 'SVC-PROV-003' });
    await expect(
      scene.client().responses.create({ model: 'bare', input: 'x', previous_response_id: 'resp_1' }),
    ).rejects.toMatchObject({ status: 400, code: 'SVC-REQ-001' });
    const apiKey = `svc-${'0'.repeat(64)}`;
    await expect(scene.client({ apiKey }).responses.create({ model: 'bare', input: 'x' })).rejects.toMatchObject({
      status: 401,
      code: 'SVC-AUTH-001',
    });
    scene.upstream.respond(broken(sseFrame(chunk({ content: 'Hel' })), SSE_HEADERS));
    const events = [];
    for await (const event of await scene.client().responses.create({ model: 'bare', input: 'x', stream: true }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', message: expect.stringContaining('SVC-PROV-001') } },
    });
  });
});

describe('the AI SDK with its default model', () => {
  const model = (name: string) => createOpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice') })(name);
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello ACC-1' }] }];

  it('gets a whole answer', async () => {
    scene.upstream.respond(answer('Hi.'));
    const { content, finishReason } = await model('default').doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: 'Hi.' }]);
    expect(finishReason.unified).toBe('stop');
    expect(scene.asked.text).not.toContain('ACC-1');
  });

  it('continues a conversation with `store: false`; otherwise the error says what to set', async () => {
    scene.upstream.respond(answer('Hi.'), answer('Well.'));
    const first = await model('default').doGenerate({ prompt });
    const said = first.content.flatMap((part) =>
      part.type === 'text'
        ? [{ type: 'text' as const, text: part.text, ...(part.providerMetadata && { providerOptions: part.providerMetadata }) }]
        : [],
    );
    const turns = [...prompt, { role: 'assistant' as const, content: said }, ...prompt];
    await expect(model('default').doGenerate({ prompt: turns })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('store: false'),
    });
    const { content } = await model('default').doGenerate({ prompt: turns, providerOptions: { openai: { store: false } } });
    expect(content).toMatchObject([{ type: 'text', text: 'Well.' }]);
    expect(scene.asked.body).toMatchObject({ messages: [{}, { role: 'assistant', content: 'Hi.' }, {}] });
  });

  it('reads a stream, even a stopped one', async () => {
    const read = async (text: string) => {
      const asked = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
      const { stream } = await model('default').doStream({ prompt: asked });
      const parts = [];
      for await (const part of stream) parts.push(part);
      expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
      return parts.find((part) => part.type === 'finish');
    };
    scene.upstream.respond(answer('Hi.'));
    expect(await read('hello')).toMatchObject({ finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 1 } } });
    expect(await read('forbidden')).toMatchObject({ finishReason: { unified: 'stop' } });
  });
});
