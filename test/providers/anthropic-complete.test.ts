import { anthropic, behaviours, fakeCallContext, startUpstream, UPSTREAM_MARKER } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { provide, REQUEST, setUp, tearDown } from './anthropic.ts';

const { broken, RUBBISH, stalled } = behaviours;

afterEach(tearDown);

test('sends the translated request to base URL and /v1/messages, with version and key', async () => {
  const { upstream, provider } = await setUp({ api_key: 'sk-ant-1' });
  const { unsupported } = await provider.complete({ ...REQUEST, stream: true, temperature: 0.5, seed: 1 }, fakeCallContext());
  expect(unsupported).toEqual(['seed']);
  expect(upstream.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/messages',
    headers: {
      'x-api-key': 'sk-ant-1',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      accept: 'application/json',
    },
  });
  expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(upstream.requests[0]?.body).toEqual({
    model: 'claude-1',
    max_tokens: 4096,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello big world' }] }],
    temperature: 0.5,
  });
});

test('a request that the API cannot express is not sent', async () => {
  const { upstream, provider } = await setUp();
  const request = { ...REQUEST, messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA' } }] }] };
  for (const method of ['complete', 'stream'] as const) {
    await expect(provider[method](request, fakeCallContext())).rejects.toMatchObject({ kind: 'unsupported', status: 400 });
  }
  expect(upstream.requests).toHaveLength(0);
});

describe('errors', () => {
  test.each([
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'configuration'],
    [402, 'billing_error', 'configuration'],
    [403, 'permission_error', 'configuration'],
    [404, 'not_found_error', 'configuration'],
    [413, 'request_too_large', 'invalid_request'],
    [422, 'invalid_request_error', 'invalid_request'],
    [429, 'rate_limit_error', 'rate_limited'],
    [500, 'api_error', 'unavailable'],
    [504, 'timeout_error', 'timeout'],
    [529, 'overloaded_error', 'unavailable'],
  ])('status %i %s is %s, and its text is not passed on', async (status, type, kind) => {
    const { upstream, provider } = await setUp();
    upstream.respond(anthropic.failure(status, type), anthropic.failure(status, type));
    for (const method of ['complete', 'stream'] as const) {
      const error: unknown = await provider[method](REQUEST, fakeCallContext()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ProviderError', kind, status, retry_after_s: undefined });
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
    }
  });

  test('Retry-After is reported', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(anthropic.failure(429, 'rate_limit_error', { 'retry-after': '17' }));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({
      kind: 'rate_limited',
      retry_after_s: 17,
    });
  });

  test.each(Object.entries(RUBBISH))('%s is malformed', async (_name, rubbish) => {
    const { upstream, provider } = await setUp();
    upstream.respond(rubbish);
    const error: unknown = await provider.complete(REQUEST, fakeCallContext()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ProviderError', kind: 'malformed' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  });

  test('a broken or refused connection is unavailable', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(broken('{"type":"mess'));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'unavailable' });
    const gone = await startUpstream();
    await gone.close();
    const lost = provide(gone);
    await expect(lost.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'unavailable', cause: 'ECONNREFUSED' });
    await lost.close?.();
  });

  test('silence is a timeout', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled('{"type":'));
    await expect(provider.complete(REQUEST, fakeCallContext({ timeout_ms: 50 }))).rejects.toMatchObject({ kind: 'timeout' });
    await upstream.requests[0]?.disconnected;
  });
});
