import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddings, failure, JSON_HEADERS, raw } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, route, UPSTREAM_MODEL } from './openai-scene.ts';

const guarded = { pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
let scene: OpenAiScene;
beforeAll(async () => {
  const budget = ['budget'];
  scene = await OpenAiScene.start(
    {
      masked: route({ ...guarded, embeddings: 'mask' }),
      echo: { provider: 'local', model: 'echo-1' },
      asked: route({ pipeline: { ingress: ['region'], egress: [] } }),
      spent: route({ pipeline: { ingress: budget, egress: budget } }),
      backed: route({ fallbacks: [{ provider: 'hasty', model: 'other' }] }),
    },
    undefined,
    {
      region: { type: 'residency', allowed_regions: ['eu'], require_approval: true },
      budget: { type: 'budget', limits: [{ scope: 'route', unit: 'tokens', amount: 28, period: 'month' }] },
    },
  );
});
afterAll(() => scene.close());

const ask = (model: string, input: string | string[], more: object = {}) =>
  scene.client().embeddings.create({ model, input, ...more });
const embed: typeof ask = (...asked) => {
  scene.upstream.respond(embeddings());
  return ask(...asked);
};

describe('the official client', () => {
  it('gets a vector for each text, in their order, as numbers or in its own default; with evidence', async () => {
    const { data, response } = await embed('default', ['one', 'two', 'one']).withResponse();
    expect(data).toMatchObject({ object: 'list', model: 'default', usage: { prompt_tokens: 3, total_tokens: 3 } });
    expect(data.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(data.data[0]?.embedding).toHaveLength(4);
    expect(data.data[2]?.embedding).toEqual(data.data[0]?.embedding);
    expect(data.data[1]?.embedding).not.toEqual(data.data[0]?.embedding);
    const numbers = await embed('default', 'one', { encoding_format: 'float' });
    expect([...(numbers.data[0]?.embedding ?? [])]).toEqual([...(data.data[0]?.embedding ?? [])]);
    expect(scene.asked).toMatchObject({ path: '/v1/embeddings', body: { model: UPSTREAM_MODEL, input: ['one'] } });
    expect(scene.asked.body).not.toHaveProperty('messages');
    const run_id = response.headers.get('x-svc-run-id');
    const [evidence] = await scene.evidence(run_id);
    expect(response.headers.get('x-svc-evidence')).toBe(`${evidence?.seq} ${evidence?.hash}`);
    expect(evidence).toMatchObject({ status: 'completed' });
    const events = await scene.events(run_id);
    expect(ofType(events, 'provider_call')).toMatchObject([
      { data: { outcome: 'answered', usage: { input_tokens: 3, output_tokens: 0, estimated: false } } },
    ]);
    // Vectors hold no text: nobody in egress is asked.
    expect(ofType(events, 'verdict').map(({ stage, node }) => `${stage} ${node}`)).toEqual(['ingress mask', 'ingress policy']);
  });

  it.each([
    ['would mask', ['fine', 'from ACC-1'], 'mask', 'account'],
    ['blocks', 'the forbidden thing', 'policy', 'forbidden'],
    ['asks for approval', 'a wire transfer', 'policy', 'wire'],
  ])('is refused if a guard %s: 422, a blocked run, no upstream call, no pause', async (_what, input, node, code) => {
    const before = scene.upstream.requests.length;
    const error = await scene
      .client()
      .embeddings.create({ model: 'default', input })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 422, code: 'SVC-RUN-007' });
    expect(error.message).toContain(`"${node}" (${code})`);
    expect(error.message.includes('embeddings: mask')).toBe(node === 'mask');
    const { body } = await scene.gateway.get(`/v1/runs/${error.headers.get('x-svc-run-id')}`);
    expect(body.status).toBe('blocked');
    expect(scene.upstream.requests).toHaveLength(before);
    expect(await scene.everythingRecorded()).not.toContain('ACC-1');
  });

  it('a guard that requires approval before the call is refused too', async () => {
    await expect(ask('asked', 'x')).rejects.toMatchObject({ status: 422, code: 'SVC-RUN-007' });
  });

  it('masks if the route says so', async () => {
    await embed('masked', 'from ACC-1');
    expect(scene.asked.body).toMatchObject({ input: ['from <ACCOUNT>'] });
  });

  // Of 28 tokens, as many as such a request may need at most with one to spare.
  it('spends its budget', async () => {
    await embed('spent', ['a', 'b', 'c']);
    await expect(ask('spent', ['a', 'b', 'c'])).rejects.toMatchObject({ status: 422, code: 'SVC-RUN-007' });
  });

  it.each<[string, string, unknown, number, string]>([
    ['a provider without embeddings', 'echo', 'x', 400, 'SVC-ROUTE-002'],
    ['token ids', 'bare', [1, 2], 400, 'SVC-REQ-001'],
    ['nothing', 'bare', [], 400, 'SVC-REQ-001'],
    ['an unknown route', 'none', 'x', 404, 'SVC-ROUTE-001'],
  ])('gets an error for %s', async (_what, model, input, status, code) => {
    const { status: answered, body } = await scene.gateway.post('/v1/embeddings', { model, input });
    expect([answered, body.code, body.error.code]).toEqual([status, code, code]);
  });

  it("gets the upstream's failure; no other model is called", async () => {
    const before = scene.upstream.requests.length;
    scene.upstream.respond(failure(500));
    const call = () => scene.client().embeddings.create({ model: 'backed', input: 'x' });
    await expect(call()).rejects.toMatchObject({ status: 502, code: 'SVC-PROV-001' });
    expect(scene.upstream.requests).toHaveLength(before + 1);
    scene.upstream.respond(raw(200, JSON_HEADERS, JSON.stringify({ data: [{ index: 0, embedding: 'no base64!' }] })));
    await expect(call()).rejects.toMatchObject({ status: 502, code: 'SVC-PROV-001' });
  });
});

it('the AI SDK embeds', async () => {
  scene.upstream.respond(embeddings());
  const provider = createOpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice') });
  const { embeddings: vectors } = await provider.embeddingModel('bare').doEmbed({ values: ['one', 'two'] });
  expect(vectors.map(({ length }) => length)).toEqual([4, 4]);
});
