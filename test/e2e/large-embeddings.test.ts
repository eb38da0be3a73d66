import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Behaviour, embeddings, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

/** OpenAI's largest batch, of its usual model; and as many tokens as one request may have, nearly. */
const TEXTS = 2_048;
const DIMENSIONS = 1_536;
const WORDS_OF_TEXT = 49;

const VECTOR = Array.from({ length: DIMENSIONS }, (_, at) => Math.fround(Math.sin(at + 1) / 40));
const BASE64 = Buffer.from(new Float32Array(VECTOR).buffer).toString('base64');
const INPUT = Array.from({ length: TEXTS }, (_, at) => `${'plain words '.repeat(WORDS_OF_TEXT / 2)}${at}`);

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const guards = ['mask', 'secrets', 'pii', 'injection'];
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { secrets: {}, pii: {}, injection: {} },
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      routes: { search: { provider: 'upstream', model: 'e', pipeline: { ingress: guards, egress: [] } } },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** As OpenAI writes it: numbers on lines of their own. */
function answerOf(embedding: unknown): Behaviour {
  const written = JSON.stringify(embedding, null, 2);
  const entry = (index: number): string => `{"object": "embedding", "index": ${index}, "embedding": ${written}}`;
  const data = Array.from({ length: TEXTS }, (_, index) => entry(index)).join(',\n');
  return raw(
    200,
    JSON_HEADERS,
    `{"object": "list", "data": [${data}], "usage": {"prompt_tokens": 100000, "total_tokens": 100000}}`,
  );
}

describe('the largest batch', () => {
  it.each([
    ['float', VECTOR],
    ['base64', BASE64],
  ])('passes by default, with guards, as %s', async (encoding_format, embedding) => {
    upstream.respond(answerOf(embedding));
    const { status, body } = await gateway.post('/v1/embeddings', { model: 'search', input: INPUT, encoding_format });
    expect([status, body.code]).toEqual([200, undefined]);
    expect(body.data).toHaveLength(TEXTS);
    expect(body.data[0]).toEqual({ object: 'embedding', index: 0, embedding });
    expect(body.data[TEXTS - 1]).toEqual({ object: 'embedding', index: TEXTS - 1, embedding });
    expect(body.usage).toEqual({ prompt_tokens: 100_000, total_tokens: 100_000 });
  });
});

function startSmall(bytes: number): Promise<TestGateway> {
  return TestGateway.start({
    here: true,
    config: echoConfig({
      server: { body_limit_bytes: bytes, max_bytes_in_flight: bytes },
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      routes: { search: { provider: 'upstream', model: 'e', pipeline: { ingress: [], egress: [] } } },
    }),
  });
}

describe('a batch that can never fit', () => {
  it('is refused before its model is called, and the error names the setting', async () => {
    const small = await startSmall(1_000_000);
    const ask = (texts: number, more: object = {}) =>
      small.post('/v1/embeddings', { model: 'search', input: INPUT.slice(0, texts), ...more });
    const asked = upstream.requests.length;
    const refused = { status: 413, body: { code: 'SVC-REQ-002', detail: expect.stringContaining('server.max_bytes_in_flight') } };
    expect(await ask(200)).toMatchObject(refused);
    expect(await ask(50, { dimensions: 8_192 })).toMatchObject(refused);
    expect(upstream.requests).toHaveLength(asked);
    upstream.respond(embeddings(), embeddings());
    expect((await ask(200, { dimensions: 4 })).status).toBe(200);
    // From now on it is known how long the vectors of this model are.
    expect((await ask(200)).status).toBe(200);
    await small.dispose();
  });

  it('whose vectors are longer than expected is answered nevertheless, because it was paid for', async () => {
    const small = await startSmall(10_000);
    const data = [{ object: 'embedding', index: 0, embedding: Array.from({ length: 8_000 }, () => 0.5) }];
    upstream.respond(raw(200, JSON_HEADERS, JSON.stringify({ object: 'list', data })));
    const { status, body } = await small.post('/v1/embeddings', { model: 'search', input: 'one text' });
    expect([status, body.data?.[0]?.embedding.length]).toEqual([200, 8_000]);
    await small.dispose();
  });
});
