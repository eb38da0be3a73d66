import { behaviours, fakeCallContext, startUpstream, UPSTREAM_MARKER } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { openAi, REQUEST, setUp, tearDown } from './provider-fixture.ts';

const { answer, broken, failure, held, JSON_HEADERS, RUBBISH, raw, stalled } = behaviours;

afterEach(tearDown);

describe('what is sent', () => {
  test('is the request to base URL and /chat/completions, with the key', async () => {
    const { upstream, provider } = await setUp({ api_key: 'sk-1' });
    await provider.complete({ ...REQUEST, temperature: 0.5, tools: [{ type: 'function' }] }, fakeCallContext());
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-1', 'content-type': 'application/json', accept: 'application/json' },
      body: { ...REQUEST, temperature: 0.5, tools: [{ type: 'function' }] },
    });
  });

  test('contains nothing of the gateway, nor of streaming', async () => {
    const { upstream, provider } = await setUp();
    const request = { ...REQUEST, stream: true, stream_options: { include_usage: true }, svc_run_id: 'r', svc_x: 1 };
    await provider.complete(request, fakeCallContext());
    expect(upstream.requests[0]?.body).toEqual(REQUEST);
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('uses one kept connection', async () => {
    const { upstream, provider } = await setUp({ connections: 1 });
    await provider.complete(REQUEST, fakeCallContext());
    await provider.complete(REQUEST, fakeCallContext());
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('uses no more connections than allowed', async () => {
    const { upstream, provider } = await setUp({ connections: 2 });
    await Promise.all(Array.from({ length: 6 }, () => provider.complete(REQUEST, fakeCallContext())));
    expect(new Set(upstream.requests.map(({ connection }) => connection))).toEqual(new Set([1, 2]));
  });

  test('uses the same connection after a refusal of any length', async () => {
    const { upstream, provider } = await setUp({ connections: 1 });
    upstream.respond(raw(500, {}, 'x'.repeat(500_000)));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'unavailable' });
    await provider.complete(REQUEST, fakeCallContext());
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });
});

describe('errors', () => {
  test.each([
    [301, 'configuration'],
    [307, 'configuration'],
    [400, 'invalid_request'],
    [401, 'configuration'],
    [402, 'configuration'],
    [403, 'configuration'],
    [404, 'configuration'],
    [408, 'timeout'],
    [413, 'invalid_request'],
    [422, 'invalid_request'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [502, 'unavailable'],
    [504, 'timeout'],
    [529, 'unavailable'],
  ])('status %i is %s, without a word of its text', async (status, kind) => {
    const { upstream, provider } = await setUp();
    const elsewhere = { location: `${upstream.url}/elsewhere` };
    upstream.respond(failure(status, elsewhere), failure(status, elsewhere));
    for (const method of ['complete', 'stream'] as const) {
      const error: unknown = await provider[method](REQUEST, fakeCallContext()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ProviderError', kind, status, retry_after_s: undefined });
      expect(error).not.toHaveProperty('cause');
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
    }
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
  });

  test.each([
    ['17', 17],
    ['Tue, 14 Nov 2023 22:13:30 GMT', 10],
    ['rubbish', undefined],
  ])('Retry-After: %s', async (header, retry_after_s) => {
    const { upstream, provider } = await setUp();
    upstream.respond(failure(429, { 'retry-after': header }));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'rate_limited', retry_after_s });
  });

  test.each(Object.entries(RUBBISH))('%s is not an answer', async (name, rubbish) => {
    const { upstream, provider } = await setUp();
    upstream.respond(rubbish);
    const error: unknown = await provider.complete(REQUEST, fakeCallContext()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ProviderError', kind: name === 'an error object' ? 'unavailable' : 'malformed' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  });

  test('an answer beyond max_response_bytes is malformed, with or without a length', async () => {
    const { upstream, provider } = await setUp({ max_response_bytes: 2_000 });
    const long = answer('x'.repeat(2_000));
    upstream.respond(long, async (request, response) => {
      response.writeHead(200, JSON_HEADERS).write(' ');
      await long(request, Object.assign(response, { writeHead: () => response }));
    });
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('with too much JSON is malformed as soon as that is known, and its connection is closed', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(`{"x":[${'[],'.repeat(200_000)}`, JSON_HEADERS));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
    await upstream.requests[0]?.disconnected;
  });

  test.each([
    ['before the headers', broken()],
    ['in the body', broken('{"id":"1","choi')],
    ['short of the announced length', broken('{"id":"1"}', { ...JSON_HEADERS, 'content-length': '100' })],
  ])('a connection broken %s is unavailable', async (_where, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('a refused connection is unavailable, with a code', async () => {
    const gone = await startUpstream();
    await gone.close();
    const provider = openAi(gone.url);
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({
      kind: 'unavailable',
      cause: 'ECONNREFUSED',
    });
    await provider.close?.();
  });

  test.each([
    ['headers', stalled()],
    ['body', stalled('{"id":')],
  ])('undici waits for the %s only as long as the call may take', async (_what, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    await expect(provider.complete(REQUEST, fakeCallContext({ timeout_ms: 50 }))).rejects.toMatchObject({ kind: 'timeout' });
    await upstream.requests[0]?.disconnected;
  });
});

describe('abort', () => {
  test.each([
    ['before the headers', stalled()],
    ['in the body', stalled('{"id":')],
  ])('%s closes the connection', async (_where, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    const controller = new AbortController();
    const call = provider.complete(REQUEST, fakeCallContext({ signal: controller.signal }));
    const rejected = expect(call).rejects.toMatchObject({ kind: 'aborted' });
    const { disconnected } = await upstream.received(1);
    controller.abort();
    await rejected;
    await disconnected;
  });

  test('rejects a call that waits for a free connection, at once and unsent', async () => {
    const { upstream, provider } = await setUp({ connections: 1 });
    const slow = held(answer('first'));
    upstream.respond(slow.behaviour);
    const first = provider.complete(REQUEST, fakeCallContext());
    await upstream.received(1);
    const controller = new AbortController();
    const second = provider.complete(REQUEST, fakeCallContext({ signal: controller.signal }));
    controller.abort();
    await expect(second).rejects.toMatchObject({ kind: 'aborted' });
    slow.release();
    expect((await first).completion.choices[0]?.message.content).toBe('first');
    await provider.complete(REQUEST, fakeCallContext());
    expect(upstream.requests).toHaveLength(2);
  });
});

test('a BOM and white space around JSON are ignored', async () => {
  const { upstream, provider } = await setUp();
  upstream.respond(raw(200, JSON_HEADERS, '\uFEFF {"choices":[{"message":{"content":"x"}}]}\n'));
  expect((await provider.complete(REQUEST, fakeCallContext())).completion.choices[0]?.message.content).toBe('x');
});
