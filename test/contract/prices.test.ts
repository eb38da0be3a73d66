import type { ChatCompletion, JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const openai = { type: 'openai', base_url: upstream.url };
  const budget = { type: 'budget', limits: [{ scope: 'global', unit: 'usd', amount: 10, period: 'month' }] };
  const pipeline = { ingress: ['budget'], egress: ['budget'] };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      prices: { vendors: { vendor: 'openai', messages: 'anthropic' }, models: { 'own-model': { input: 1, output: 2 } } },
      providers: { vendor: openai, messages: { type: 'anthropic', base_url: upstream.url } },
      packs: { budget, lenient: { ...budget, unpriced: 'allow' } },
      routes: {
        catalogued: { provider: 'vendor', model: 'gpt-4.1', pipeline },
        own: { provider: 'vendor', model: 'own-model', pipeline },
        claude: { provider: 'messages', model: 'claude-sonnet-4-5', pipeline },
        'gpt-*': { provider: 'vendor', pipeline: { ingress: [], egress: [] } },
        unpriced: { provider: 'vendor', model: 'nobody-knows', pipeline: { ingress: ['lenient'], egress: ['lenient'] } },
      },
    }),
    principals: [{ principal_id: 'alice', roles: ['admin', 'audit', 'call'] }],
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** What the evidence of a call says whose upstream reports this usage. */
async function callOf(model: string, usage: JsonObject): Promise<JsonObject> {
  upstream.respond(answer({ ...completionOf('Yes.'), usage: usage as ChatCompletion['usage'] & object }));
  expect((await gateway.chat('Is it?', { model })).status).toBe(200);
  return lastCall();
}

async function lastCall(): Promise<JsonObject> {
  const record = (await gateway.ledger()).findLast(({ record_type }) => record_type === 'run_evidence');
  const events = record?.events as { event_type: string; data: JsonObject }[];
  return events.find(({ event_type }) => event_type === 'provider_call')?.data ?? {};
}

describe('the evidence of a call', () => {
  it('has its cost by the catalogue with its version, for every part of its usage', async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1200,
      prompt_tokens_details: { cached_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 190 },
    };
    const { price, usage: recorded } = await callOf('catalogued', usage);
    expect(recorded).toEqual({
      cached_input_tokens: 400,
      estimated: false,
      input_tokens: 1000,
      output_tokens: 200,
      reasoning_tokens: 190,
    });
    const { prices } = (await gateway.get('/v1/usage', 'alice')).body;
    expect(prices).toEqual({ catalogue: '@pydantic/genai-prices', version: expect.stringMatching(/^\d+\./) });
    expect(price).toEqual({ micro_usd: 600 * 2 + 400 * 0.5 + 200 * 8, source: 'catalogue', version: prices.version });
  });

  it('has cache writes by lifetime, and the caller gets them in the form of its API', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 2,
    };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null };
    const content = [{ type: 'text', text: 'Yes.' }];
    upstream.respond(raw(200, JSON_HEADERS, JSON.stringify({ ...message, content, usage })));
    const { body } = await gateway.chat('Is it?', { model: 'claude' });
    expect(body.usage).toMatchObject({
      prompt_tokens: 1310,
      completion_tokens: 2,
      total_tokens: 1312,
      prompt_tokens_details: {
        cached_tokens: 1000,
        cache_creation_tokens: 300,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      },
    });
    const { price, usage: recorded } = await lastCall();
    expect(recorded).toMatchObject({ cache_write_1h_tokens: 100, cache_write_5m_tokens: 200, input_tokens: 1310 });
    expect(price).toMatchObject({ micro_usd: 10 * 3 + 1000 * 0.3 + 200 * 3.75 + 100 * 6 + 2 * 15, source: 'catalogue' });
  });

  it('has its cost by the configuration', async () => {
    const { price } = await callOf('own', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(price).toEqual({ micro_usd: 20, source: 'configuration' });
  });

  it('has no cost without a price', async () => {
    expect(await callOf('unpriced', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })).not.toHaveProperty('price');
  });

  it('adds up to usage and budgets', async () => {
    const { groups } = (await gateway.get('/v1/usage?group_by=route', 'alice')).body;
    expect(groups).toContainEqual(expect.objectContaining({ name: 'catalogued', usd: 0.003, unpriced_runs: 0 }));
    expect(groups).toContainEqual(expect.objectContaining({ name: 'unpriced', usd: 0, unpriced_runs: 1 }));
  });
});

describe('reasoning beside the output is output, in the words of every API', () => {
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 10,
    total_tokens: 1017,
    completion_tokens_details: { reasoning_tokens: 1000 },
  };
  const counted = { input_tokens: 7, output_tokens: 1010, reasoning_tokens: 1000 };

  it.each([
    ['/v1/messages', { max_tokens: 2000, messages: [{ role: 'user', content: 'Is it?' }] }, { output_tokens: 1010 }],
    ['/v1/responses', { input: 'Is it?' }, { output_tokens: 1010, total_tokens: 1017 }],
    // What came in the words of the caller's API is passed on.
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Is it?' }] }, usage],
  ])('%s', async (path, asked, shown) => {
    upstream.respond(answer({ ...completionOf('Yes.'), usage }));
    const { body } = await gateway.post(path, { model: 'own', ...asked }, 'alice');
    expect(body.usage).toMatchObject(shown);
    expect((await lastCall()).usage).toMatchObject(counted);
  });

  it.each([
    ['/v1/messages', { max_tokens: 2000, messages: [{ role: 'user', content: 'Is it?' }] }],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Is it?' }] }],
  ])('%s, streamed', async (path, asked) => {
    upstream.respond(answer({ ...completionOf('Yes.'), usage }));
    const { text } = await gateway.post(path, { model: 'own', stream: true, ...asked }, 'alice');
    expect(text).toMatch(/message_stop|\[DONE\]/);
    const { usage: recorded, price } = await lastCall();
    expect(recorded).toMatchObject(counted);
    expect(price).toEqual({ micro_usd: 7 + 2 * 1010, source: 'configuration' });
  });
});

it('usage with unknown members fails no run', async () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    cost: 'much',
    prompt_tokens_details: [1],
    is_byok: {},
  };
  expect((await callOf('own', usage)).usage).toMatchObject({ input_tokens: 3, output_tokens: 4, estimated: false });
});

it('a model without a price is in a metric', async () => {
  const { text } = await gateway.get('/metrics', null);
  expect(text).toContain('svc_model_unpriced{provider="vendor",model="nobody-knows"} 1');
  expect(text).not.toContain('svc_model_unpriced{provider="vendor",model="gpt-4.1"}');
});

describe('a model', () => {
  it("is listed with its context, in OpenAI's shape", async () => {
    const { body } = await gateway.get('/v1/models/catalogued');
    expect(body).toMatchObject({ id: 'catalogued', object: 'model', context_length: 1_000_000 });
    const { data } = (await gateway.get('/v1/models')).body;
    expect(data).toContainEqual(body);
    expect((await gateway.get('/v1/models/own')).body).not.toHaveProperty('context_length');
    // Of a pattern, the model that was asked for.
    const asked = (await gateway.get('/v1/models/gpt-4.1')).body;
    expect(asked).toMatchObject({ id: 'gpt-4.1', context_length: 1_000_000 });
    expect((await gateway.get('/v1/models/gpt-nobody')).body).not.toHaveProperty('context_length');
  });

  it("is listed with its context, in Anthropic's shape", async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const model = async (id: string) => (await gateway.request('GET', `/v1/models/${id}`, { headers })).body;
    expect(await model('catalogued')).toMatchObject({ type: 'model', id: 'catalogued', max_input_tokens: 1_000_000 });
    expect(await model('own')).toMatchObject({ max_input_tokens: null });
  });
});
