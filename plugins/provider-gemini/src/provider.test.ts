import { isProviderError } from '@svc/sdk';
import type { AnyProvider } from '@svc/sdk/provider';
import { fakeCallContext, fakePluginDeps, gemini, startUpstream, UPSTREAM_MARKER, type Upstream } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';
import { GeminiOptions } from './options.ts';

let upstream: Upstream;
let provider: AnyProvider;

beforeEach(async () => {
  upstream = await startUpstream(gemini.answer());
  provider = plugin.create(optionsWith({ base_url: new URL(upstream.url).origin, api_key: 'k' }), fakePluginDeps());
});
afterEach(async () => {
  await provider.close?.();
  await upstream.close();
});

function optionsWith(given: object = {}): GeminiOptions {
  const options: unknown = Value.Default(GeminiOptions, { ...given });
  Value.Assert(GeminiOptions, options);
  return options;
}

const REQUEST = { model: 'gemini-1', contents: [{ role: 'user', parts: [{ text: 'hello', somethingNew: 1 }] }] };

async function framesOf(stream: ReturnType<AnyProvider['stream']>): Promise<unknown[]> {
  const frames: unknown[] = [];
  for await (const frame of (await stream).chunks) frames.push(frame);
  return frames;
}

test('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
});

test('sends the request unchanged, with the model in the path and the key in a header', async () => {
  const { completion, unsupported } = await provider.complete(REQUEST, fakeCallContext());
  const { model, ...body } = REQUEST;
  expect(upstream.requests[0]).toMatchObject({
    path: `/v1beta/models/${model}:generateContent`,
    headers: { 'x-goog-api-key': 'k' },
    body,
  });
  expect([completion, unsupported]).toEqual([gemini.answerOf([{ text: 'upstream: hello' }]), []]);
});

test('returns the frames of a stream as they arrive', async () => {
  const frames = await framesOf(provider.stream(REQUEST, fakeCallContext()));
  expect(upstream.requests[0]?.path).toBe('/v1beta/models/gemini-1:streamGenerateContent?alt=sse');
  expect(frames).toEqual(gemini.framesOf(gemini.answerOf([{ text: 'upstream: hello' }])));
});

test.each([
  ['tunedModels/a', '/v1beta/tunedModels/a:generateContent'],
  ['a?b', '/v1beta/models/a%3Fb:generateContent'],
])('asks for the model %s at %s', async (model, path) => {
  await provider.complete({ ...REQUEST, model }, fakeCallContext());
  expect(upstream.requests[0]?.path).toBe(path);
});

test('a stream that does not say why it ended has failed', async () => {
  const frames = gemini.framesOf(gemini.answerOf([{ text: 'a long answer to that' }]));
  upstream.respond(gemini.events(frames.slice(0, -1)));
  await expect(framesOf(provider.stream(REQUEST, fakeCallContext()))).rejects.toMatchObject({ kind: 'unavailable' });
});

test.each([
  [400, 'INVALID_ARGUMENT', 'invalid_request'],
  [403, 'PERMISSION_DENIED', 'configuration'],
  [429, 'RESOURCE_EXHAUSTED', 'rate_limited'],
  [503, 'UNAVAILABLE', 'unavailable'],
  [504, 'DEADLINE_EXCEEDED', 'timeout'],
])('a refusal with %i (%s) is %s, and nothing of the upstream is in it', async (status, code, kind) => {
  upstream.respond(gemini.failure(status, code), gemini.failure(status, code));
  for (const call of [provider.complete(REQUEST, fakeCallContext()), provider.stream(REQUEST, fakeCallContext())]) {
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    if (!isProviderError(error)) throw new Error('no provider error');
    expect(error).toMatchObject({ kind, status });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  }
});

test('returns vectors for texts, and rejects invalid ones', async () => {
  const answers = [{ embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }, { embeddings: [{ values: [1] }] }];
  for (const answer of answers)
    upstream.respond(
      (_request, response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
    );
  const request = { model: 'e-1', input: ['one', 'two'], dimensions: 2, user: 'u' };
  expect(await provider.embed?.(request, fakeCallContext())).toEqual({
    embeddings: [
      [1, 2],
      [3, 4],
    ],
    usage: null,
    unsupported: ['user'],
  });
  expect(upstream.requests[0]).toMatchObject({
    path: '/v1beta/models/e-1:batchEmbedContents',
    body: {
      requests: ['one', 'two'].map((text) => ({ model: 'models/e-1', content: { parts: [{ text }] }, outputDimensionality: 2 })),
    },
  });
  await expect(provider.embed?.(request, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
});

test.each([{ base_url: 1 }, { connections: 0 }, { unknown: 1 }])('refuses %o', (given) => {
  expect(() => optionsWith(given)).toThrow();
});

test.each([
  [{ base_url: 'ftp://x' }, /^base_url: /],
  [{ api_key: 'k3y\n' }, /^api_key: (?!.*k3y)/s],
])('refuses at creation %o, and names the key', (given, said) => {
  expect(() => plugin.create(optionsWith(given), fakePluginDeps())).toThrow(said);
});
