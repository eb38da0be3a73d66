import { isProviderError, type ProviderError } from '@svc/sdk';
import type { EmbeddingRequest } from '@svc/sdk/provider';
import { behaviours, fakeCallContext, UPSTREAM_MARKER } from '@svc/sdk/testing';
import { afterEach, expect, test } from 'vitest';
import { setUp, tearDown } from './provider-fixture.ts';

const { embeddings, failure, JSON_HEADERS, raw } = behaviours;

afterEach(tearDown);

const REQUEST: EmbeddingRequest = { model: 'e-1', input: ['one', 'two'] };

test('is sent to base URL and /embeddings, with the key and every parameter, and nothing of the gateway', async () => {
  const { upstream, provider } = await setUp({ api_key: 'sk-1' });
  upstream.respond(embeddings());
  const { usage } = (await provider.embed?.({ ...REQUEST, dimensions: 4, user: 'u', svc_x: 1 }, fakeCallContext())) ?? {};
  expect(upstream.requests[0]).toMatchObject({ path: '/v1/embeddings', headers: { authorization: 'Bearer sk-1' } });
  expect(upstream.requests[0]?.body).toEqual({ ...REQUEST, dimensions: 4, user: 'u' });
  expect(usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
});

const list = (...data: unknown[]): string => JSON.stringify({ object: 'list', data });

test.each([
  ['no JSON', UPSTREAM_MARKER],
  ['no list', '{}'],
  ['too few', list({ index: 0, embedding: [1] })],
  ['too many', list(...[0, 1, 1].map((index) => ({ index, embedding: [1] })))],
  ['no index', list({ embedding: [1] }, { index: 1, embedding: [1] })],
  ['an index beyond', list({ index: 0, embedding: [1] }, { index: 2, embedding: [1] })],
  ['no vector', list({ index: 0, embedding: { text: 'x' } }, { index: 1, embedding: [1] })],
  ['no numbers', list({ index: 0, embedding: ['x'] }, { index: 1, embedding: [1] })],
])('an answer with %s is malformed', async (_what, body) => {
  const { upstream, provider } = await setUp();
  upstream.respond(raw(200, JSON_HEADERS, body));
  expect(await refusal(provider.embed?.(REQUEST, fakeCallContext()))).toMatchObject({ kind: 'malformed' });
});

test('a usage that makes no sense is dropped', async () => {
  const { upstream, provider } = await setUp();
  const data = [0, 1].map((index) => ({ index, embedding: [1] }));
  upstream.respond(raw(200, JSON_HEADERS, JSON.stringify({ data, usage: { prompt_tokens: -1 } })));
  expect(await provider.embed?.(REQUEST, fakeCallContext())).toMatchObject({ usage: null, embeddings: [[1], [1]] });
});

test('a refusal has its kind, and nothing of the upstream', async () => {
  const { upstream, provider } = await setUp();
  upstream.respond(failure(429, { 'retry-after': '7' }));
  expect(await refusal(provider.embed?.(REQUEST, fakeCallContext()))).toMatchObject({ kind: 'rate_limited', retry_after_s: 7 });
});

async function refusal(call: Promise<unknown> | undefined): Promise<ProviderError> {
  const error: unknown = await call?.catch((thrown: unknown) => thrown);
  if (!isProviderError(error)) throw new Error('no provider error');
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  return error;
}
