import type { JsonObject } from '@svc/contracts';
import { responses } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, UPSTREAM_MARKER, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { ofType } from './openai-scene.ts';

const ENCRYPTED = 'gAAAAABencrypted-reasoning_of-the_model==';
const MAIL = 'ann.lee@example.org';
const PIPELINE = { ingress: ['pii', 'policy'], egress: ['pii'] };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(responses.answer());
  const to = { provider: 'upstream', model: 'gpt-test-1' };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      packs: { pii: { type: 'pii' }, json: { type: 'schema' } },
      providers: { upstream: { type: 'openai', api: 'responses', base_url: upstream.url } },
      routes: {
        default: { ...to, pipeline: PIPELINE, vendor_tools: ['web_search'] },
        whole: { ...to, pipeline: { ingress: ['pii'], egress: ['pii', 'json'] } },
        bare: to,
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });
/** What the upstream was asked last. */
const asked = () => upstream.requests.at(-1)?.body as JsonObject & { input: JsonObject[] };

type Create = OpenAI.Responses.ResponseCreateParamsNonStreaming;
const create = (body: Create, streamed: boolean): Promise<OpenAI.Responses.Response> =>
  streamed
    ? client()
        .responses.stream({ ...body, stream: true })
        .finalResponse()
    : client().responses.create(body);

const TOOLS: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'mail', strict: false, parameters: { type: 'object', properties: {} } },
];
const reasoning: responses.ResponseItem = {
  id: 'rs_upstream',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: `I write to ${MAIL}.` }],
  encrypted_content: ENCRYPTED,
};
const call: responses.ResponseItem = {
  id: 'fc_upstream',
  type: 'function_call',
  call_id: 'call_1',
  name: 'mail',
  arguments: `{"to":"${MAIL}"}`,
};
const calls = () => upstream.respond(responses.answer({ output: [reasoning, call] }));

describe.each([false, true])('the official client (streamed: %s)', (streamed) => {
  it.each(['default', 'bare'])('keeps encrypted reasoning for the next turn (route %s)', async (model) => {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: `Write to ${MAIL}.` }];
    const settings: Partial<Create> = { store: false, include: ['reasoning.encrypted_content'], tools: TOOLS };
    calls();
    const first = await create({ ...settings, model, input, reasoning: { effort: 'high', summary: 'auto' } }, streamed);
    expect(asked()).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high', summary: 'auto' },
    });
    const thought = first.output.find((item) => item.type === 'reasoning' && item.encrypted_content != null);
    expect(first.output.some(({ type }) => type === 'function_call')).toBe(true);
    const guarded = model === 'default';
    expect(JSON.stringify(first).includes(ENCRYPTED)).toBe(!guarded);
    expect(JSON.stringify(first).includes(MAIL)).toBe(!guarded);
    expect(thought).toBeDefined();

    input.push(...(first.output as OpenAI.Responses.ResponseInput));
    input.push({ type: 'function_call_output', call_id: 'call_1', output: 'sent' });
    const second = await create({ ...settings, model, input }, streamed);
    expect(second.output_text).toContain('upstream:');
    const [asking, ...others] = asked().input;
    expect(asking).toEqual({ role: 'user', content: guarded ? expect.not.stringContaining(MAIL) : `Write to ${MAIL}.` });
    expect(others.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'function_call_output']);
    expect(asked().input[1]).toMatchObject({ encrypted_content: ENCRYPTED });
    if (!guarded) return;
    expect(JSON.stringify(asked())).not.toContain(MAIL);
    const run_id = first.id.slice('resp_'.length);
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    const egress = ofType(events, 'verdict').find(({ stage }) => stage === 'egress');
    const path = expect.stringMatching(/(^|\.)output\.0\.encrypted_content$/);
    expect(egress?.data).toMatchObject({ scanned: { skipped: expect.arrayContaining([expect.objectContaining({ path })]) } });
    expect((await gateway.get('/v1/audit/ledger?limit=10000')).text).not.toContain(ENCRYPTED);
  });

  it.each(['default', 'bare'])('continues by the id of the response alone, including reasoning (route %s)', async (model) => {
    calls();
    const events: unknown[] = [];
    const asking: Create = { model, input: `Write to ${MAIL}.`, tools: TOOLS };
    const first = streamed
      ? await client()
          .responses.stream({ ...asking, stream: true })
          .on('event', (event) => events.push(event))
          .finalResponse()
      : await create(asking, false);
    // The gateway asks for it, and keeps it.
    expect(asked().include).toEqual(['reasoning.encrypted_content']);
    expect(JSON.stringify([first, events])).not.toMatch(/gAAAAAB|svc_opaque|encrypted_content/);
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const output: OpenAI.Responses.ResponseInput = [{ type: 'function_call_output', call_id: 'call_1', output: 'sent' }];
    const second = await create({ model, input: output, previous_response_id: first.id, tools: TOOLS }, streamed);
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
    expect(asked().input).toMatchObject([
      { type: 'message', role: 'user' },
      { type: 'reasoning', encrypted_content: ENCRYPTED },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sent' },
    ]);
    expect(asked()).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(asked()).includes(MAIL)).toBe(model === 'bare');
    await create({ ...asking, store: false }, streamed);
    expect(asked()).not.toHaveProperty('include');
  });

  it("requests a vendor's tool if the route lists it, and shows guards its calls", async () => {
    const search = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: `who is ${MAIL}` },
    };
    const cited = {
      type: 'output_text',
      text: 'Nobody.',
      annotations: [{ type: 'url_citation', start_index: 0, end_index: 6, url: 'https://example.org', title: `On ${MAIL}` }],
    };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [cited] };
    const tools: OpenAI.Responses.Tool[] = [{ type: 'web_search' }];
    for (const model of ['default', 'bare']) {
      upstream.respond(responses.answer({ output: [search, message] }));
      const answer = await create({ model, input: 'search', tools }, streamed);
      expect(asked().tools).toEqual(model === 'default' ? [{ type: 'web_search' }] : undefined);
      expect(answer.output_text).toBe('Nobody.');
      const types = answer.output.map(({ type }) => type);
      expect(types.toSorted()).toEqual(['message', 'web_search_call']);
      expect(JSON.stringify(answer).includes(MAIL)).toBe(model === 'bare');
    }
  });
});

it('answers in the same form if a guard needs the whole answer', async () => {
  upstream.respond(responses.answer({ output: [reasoning, responses.messageItem('{"a": 1}')] }));
  const answer = await create(
    { model: 'whole', input: 'x', include: ['reasoning.encrypted_content'], text: { format: { type: 'json_object' } } },
    true,
  );
  expect(asked().text).toEqual({ format: { type: 'json_object' } });
  expect(answer.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: expect.not.stringContaining(MAIL) }] },
    { type: 'message' },
  ]);
  expect(answer.usage).toMatchObject({ total_tokens: expect.any(Number) });
});

it('a chat can use such a tool too, and a header names tools that are not listed', async () => {
  const tools = [
    { type: 'web_search' },
    { type: 'code_interpreter' },
    { type: 'mine' },
    { type: 'function', function: { name: 'f', parameters: {} } },
  ] as unknown as OpenAI.Chat.Completions.ChatCompletionTool[];
  const { data, response } = await client()
    .chat.completions.create({ model: 'default', messages: [{ role: 'user', content: 'hello' }], tools })
    .withResponse();
  expect(data.choices[0]?.message.content).toBe('upstream: hello');
  expect(response.headers.get('x-svc-unsupported')).toBe('tools.code_interpreter, tools.other');
  expect(asked().tools).toMatchObject([{ type: 'web_search' }, { type: 'function', name: 'f', strict: false }]);
});

it("a response that fails in the middle ends as failed, without any text of the upstream's error", async () => {
  const failed = { status: 'failed', error: { code: 'server_error', message: UPSTREAM_MARKER } };
  upstream.respond(responses.answer(failed));
  const events = [];
  for await (const event of await client().responses.create({ model: 'bare', input: 'x', stream: true })) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error' } },
  });
  expect(JSON.stringify(events)).not.toContain(UPSTREAM_MARKER);
});

it('a response that was cut off, or filtered, is incomplete', async () => {
  for (const reason of ['max_output_tokens', 'content_filter']) {
    upstream.respond(responses.answer({ status: 'incomplete', incomplete_details: { reason } }));
    const answer = await create({ model: 'default', input: 'x' }, true);
    expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
  }
});
