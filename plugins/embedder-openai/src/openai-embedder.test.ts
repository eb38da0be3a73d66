import { isProviderError } from '@svc/sdk';
import { JSON_LIMITS } from '@svc/sdk/json';
import { type Behaviour, behaviours, fakePluginDeps, startUpstream, UPSTREAM_MARKER, type Upstream } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { batchesOf } from './batches.ts';
import { DIMENSIONS, embeddings, optionsFor, vectorFor } from './embeddings-server.ts';
import { OpenAiEmbedder } from './openai-embedder.ts';

const NEVER = new AbortController().signal;

async function start(
  options: object = {},
  otherwise: Behaviour = embeddings(),
): Promise<{ embedder: OpenAiEmbedder; upstream: Upstream }> {
  const upstream = await startUpstream(otherwise);
  const embedder = new OpenAiEmbedder(optionsFor({ base_url: upstream.url, api_key: 'sk-test', ...options }), fakePluginDeps());
  onTestFinished(async () => {
    await embedder.close();
    await upstream.close();
  });
  return { embedder, upstream };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(isProviderError(error)).toBe(true);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  return error;
}

it('asks with key and model, in batches, and keeps the order', async () => {
  const { embedder, upstream } = await start({ batch_size: 2 });
  const texts = ['one', 'two', 'three'];
  expect(await embedder.embed(texts, 'document', NEVER)).toEqual(texts.map(vectorFor));
  expect(upstream.requests.map(({ path, headers, body }) => ({ path, key: headers.authorization, body }))).toEqual([
    {
      path: '/v1/embeddings',
      key: 'Bearer sk-test',
      body: { model: 'embed-1', input: ['one', 'two'], encoding_format: 'base64' },
    },
    { path: '/v1/embeddings', key: 'Bearer sk-test', body: { model: 'embed-1', input: ['three'], encoding_format: 'base64' } },
  ]);
});

it('asks for shorter vectors if it is configured to', async () => {
  const { embedder, upstream } = await start({ shorten: true });
  await embedder.embed(['one'], 'query', NEVER);
  expect(upstream.requests[0]?.body).toMatchObject({ dimensions: DIMENSIONS });
});

it.each([
  [400, 'invalid_request'],
  [401, 'configuration'],
  [429, 'rate_limited'],
  [500, 'unavailable'],
  [504, 'timeout'],
])('a status of %i is %s', async (status, kind) => {
  const { embedder } = await start({}, behaviours.failure(status, { 'retry-after': '7' }));
  const expected = status === 429 ? { kind, status, retry_after_s: 7 } : { kind, status };
  expect(await failure(embedder.embed(['one'], 'query', NEVER))).toMatchObject(expected);
});

it('a batch that fails has a cost if an earlier batch was answered', async () => {
  const { embedder, upstream } = await start({ batch_size: 1 }, behaviours.failure(429));
  expect(await failure(embedder.embed(['one', 'two'], 'document', NEVER))).toMatchObject({ cost: undefined });
  const answers = [embeddings(), behaviours.failure(429)];
  upstream.respond((request, response) => answers.shift()?.(request, response));
  expect(await failure(embedder.embed(['one', 'two'], 'document', NEVER))).toMatchObject({
    kind: 'rate_limited',
    cost: 'unknown',
  });
});

const list = (...data: unknown[]): string => JSON.stringify({ object: 'list', data });
const numbers = Array.from({ length: DIMENSIONS }, () => 0.5);

it.each([
  ['no JSON', UPSTREAM_MARKER],
  ['no list', '{}'],
  ['too few', list()],
  ['too many', list({ index: 0, embedding: numbers }, { index: 1, embedding: numbers })],
  ['another length', list({ index: 0, embedding: [1] })],
  ['no numbers', list({ index: 0, embedding: numbers.map(String) })],
  ['no index', list({ embedding: numbers })],
  ['an index beyond', list({ index: 1, embedding: numbers })],
  ['nothing but zeros', list({ index: 0, embedding: numbers.map(() => 0) })],
  ['a number too large for 32 bits', list({ index: 0, embedding: numbers.map(() => 1e300) })],
])('an answer with %s is malformed', async (_what, body) => {
  const { embedder } = await start({}, behaviours.raw(200, behaviours.JSON_HEADERS, body));
  expect(await failure(embedder.embed(['one'], 'query', NEVER))).toMatchObject({ kind: 'malformed' });
});

it('the same text twice in an answer is malformed', async () => {
  const body = list({ index: 0, embedding: numbers }, { index: 0, embedding: numbers });
  const { embedder } = await start({}, behaviours.raw(200, behaviours.JSON_HEADERS, body));
  expect(await failure(embedder.embed(['one', 'two'], 'query', NEVER))).toMatchObject({ kind: 'malformed' });
});

it('a server that does not answer in time is a timeout, and the call is aborted', async () => {
  const { embedder, upstream } = await start({ timeout_ms: 50 }, behaviours.stalled());
  expect(await failure(embedder.embed(['one'], 'query', NEVER))).toMatchObject({ kind: 'timeout' });
  await (await upstream.received(1)).disconnected;
});

it('an aborted call is reported as aborted', async () => {
  const { embedder, upstream } = await start({}, behaviours.stalled());
  const off = new AbortController();
  const failed = failure(embedder.embed(['one'], 'query', off.signal));
  const { disconnected } = await upstream.received(1);
  off.abort();
  expect(await failed).toMatchObject({ kind: 'aborted' });
  await disconnected;
});

it('batches contain all texts in order, and stay within their limits', () => {
  const text = fc.integer({ min: 0, max: 50 }).map((length) => 'x'.repeat(length));
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60 }), (texts, size, characters) => {
      const batches = batchesOf(texts, size, characters);
      expect(batches.flat()).toEqual(texts);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(size);
        expect(batch.length === 1 || batch.join('').length <= characters).toBe(true);
      }
    }),
  );
});

it('has room for the vectors that it requested, as numbers, and no more', async () => {
  const dimensions = 2_000;
  const texts = Array.from({ length: JSON_LIMITS.values / dimensions + 1 }, (_, i) => `text ${i}`);
  const vector = Array.from({ length: dimensions }, () => 1);
  const data = texts.map((_, index) => ({ index, embedding: vector }));
  const { embedder, upstream } = await start({ dimensions });
  upstream.respond(behaviours.raw(200, behaviours.JSON_HEADERS, JSON.stringify({ data })));
  expect(await embedder.embed(texts, 'document', NEVER)).toHaveLength(texts.length);
  const much = { data, x: Array.from({ length: JSON_LIMITS.values }, () => 1) };
  upstream.respond(behaviours.raw(200, behaviours.JSON_HEADERS, JSON.stringify(much)));
  expect(await failure(embedder.embed(texts, 'document', NEVER))).toMatchObject({ kind: 'malformed' });
});
