import { type Behaviour, behaviours, fakeCallContext, fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { Call, currentCall } from '../call/call.ts';
import { cohere } from '../doubles/cohere.ts';
import { bytes, json, MARKER } from '../doubles/vendor.ts';
import { read, setUp, tearDown } from '../provider-fixture.ts';
import { UpstreamFetch } from './upstream-fetch.ts';

afterEach(tearDown);

const { model } = cohere;
const request = { model, messages: [{ role: 'user', content: 'hello' }] };

async function scene(more: object = {}) {
  return await setUp((url) => ({ package: cohere.package, settings: cohere.settings(url), ...more }));
}

/** The errors with which a whole and a streamed call fail before such an answer. */
async function failures(behaviour: Behaviour, more: object = {}): Promise<{ errors: unknown[]; upstream: Upstream }> {
  const { provider, upstream } = await scene(more);
  upstream.respond(behaviour, behaviour);
  const results = await Promise.allSettled([provider.complete(request, fakeCallContext()), read(provider, request)]);
  return { errors: results.map((result) => (result.status === 'rejected' ? result.reason : undefined)), upstream };
}

function upstreamFetch() {
  const upstream = new UpstreamFetch({ connections: 1, max_response_bytes: 16_777_216 }, fakePluginDeps());
  return { fetch: upstream.fetch, close: () => upstream.close() };
}

const each = (expected: object) => [expect.objectContaining(expected), expect.objectContaining(expected)];

test('a redirect is not followed', async () => {
  const { errors, upstream } = await failures((_request, response) => {
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(errors).toEqual(each({ kind: 'configuration', status: 307 }));
  expect(upstream.requests).toHaveLength(2);
});

describe('an answer is abandoned', () => {
  const deep = '['.repeat(65) + ']'.repeat(65);
  test.each<[string, Behaviour, object]>([
    ['that is too long', json({ padding: 'x'.repeat(20_000) }), { max_response_bytes: 10_000 }],
    ['of JSON that is nested too deeply', bytes('application/json', [`{"a":${deep}}`]), {}],
    ['of JSON that is not called so', bytes('text/plain', [`{"a":${deep}}`]), {}],
    ['of too many values', json({ a: Array.from({ length: 100_001 }, () => 1) }), {}],
    ['with an event of too many values', bytes('text/event-stream', [`data: {"a":[${'1,'.repeat(100_001)}1]}\n\n`]), {}],
    ['that is no JSON', bytes('application/json', ['<html>']), {}],
    ['of another shape', json({ message: 7 }), {}],
  ])('%s', async (_name, behaviour, more) => {
    const { errors } = await failures(behaviour, more);
    expect(errors[0]).toMatchObject({ kind: 'malformed' });
    expect(errors[1]).toMatchObject({ kind: expect.stringMatching(/^(malformed|unavailable)$/) });
  });

  test('for the content of one event, not for the whole stream', async () => {
    const { provider, upstream } = await scene();
    const deltas = Array.from({ length: 12_000 }, () => ({
      type: 'content-delta',
      index: 0,
      delta: { message: { content: { text: 'a' } } },
    }));
    const list = [
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      ...deltas,
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 1, output_tokens: 2 } } } },
    ];
    upstream.respond(bytes('text/event-stream', [list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')]));
    const chunks = await read(provider, request);
    expect(chunks).toHaveLength(12_001);
  });
});

test.each([
  [400, 'invalid_request'],
  [401, 'configuration'],
  [404, 'configuration'],
  [422, 'invalid_request'],
  [424, 'unavailable'],
  [500, 'unavailable'],
  [504, 'timeout'],
])('status %i is %s, with a known code and no text', async (status, kind) => {
  const { errors } = await failures(json({ error: { code: 'unsupported_value', message: MARKER } }, status));
  expect(errors).toEqual(each({ kind, status, code: 'unsupported_value' }));
  expect(JSON.stringify(errors)).not.toContain(MARKER);
});

test('a refusal that does not end still counts as a refusal', async () => {
  const { errors } = await failures((_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.write('{');
  });
  expect(errors).toEqual(each({ kind: 'unavailable', status: 503 }));
});

test('a broken connection is unavailable, and may have been billed', async () => {
  const { errors } = await failures(behaviours.broken());
  expect(errors).toEqual(each({ kind: 'unavailable', cost: 'unknown' }));
});

test('a refused connection is unavailable, and costs nothing', async () => {
  const gone = await startUpstream();
  await gone.close();
  const { errors } = await failures(() => undefined, { settings: { apiKey: 'k', baseURL: gone.url } });
  expect(errors).toEqual(each({ kind: 'unavailable', cost: 'none', cause: 'ECONNREFUSED' }));
});

test('an invalid address is a fault of the configuration', async () => {
  const { errors } = await failures(() => undefined, { settings: { apiKey: 'k', baseURL: 'nowhere' } });
  expect(errors).toEqual(each({ kind: 'configuration', cost: 'none' }));
});

test('reports its buffered bytes: all of a whole answer, a piece of a stream', async () => {
  const { provider, upstream } = await scene();
  upstream.respond(cohere.whole, cohere.streamed);
  const whole: number[] = [];
  await provider.complete(request, fakeCallContext({ onBuffered: (count) => whole.push(count) }));
  expect(whole.at(-1)).toBeGreaterThan(200);
  const streamed: number[] = [];
  await read(provider, request, fakeCallContext({ onBuffered: (count) => streamed.push(count) }));
  expect(streamed.length).toBeGreaterThan(0);
});

test('gives a package only a few events of a flood at a time', async () => {
  const upstream = await startUpstream();
  const events = 'data: {}\n\n'.repeat(100_000);
  upstream.respond(bytes('text/event-stream', [events]));
  const { fetch, close } = upstreamFetch();
  const response = await currentCall.run(new Call(fakeCallContext(), true), () => fetch(upstream.url));
  let most = 0;
  let all = 0;
  for await (const piece of response.body ?? []) {
    const count = Buffer.from(piece).toString().split('\n\n').length;
    most = Math.max(most, count);
    all += piece.length;
  }
  await close();
  await upstream.close();
  expect(all).toBe(events.length);
  expect(most).toBeLessThan(200);
});

test('a slow reader slows the upstream', async () => {
  const { provider, upstream } = await scene({ max_response_bytes: 67_108_864 });
  const frame = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
  const says = (text: string) => frame({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } });
  const begins = frame({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } });
  const usage = { tokens: { input_tokens: 1, output_tokens: 2 } };
  const ends = frame({ type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } });
  const pieces = Array.from({ length: 60 }, () => says('x'.repeat(1_048_576)));
  const drip = behaviours.dripped([begins, ...pieces, ends]);
  upstream.respond(drip.behaviour);
  const { chunks } = await provider.stream(request, fakeCallContext());
  const iterator = chunks[Symbol.asyncIterator]();
  await iterator.next();
  // Enough turns of the event loop for both ends to transfer all 60 MB at 16 kB a turn, if anyone were reading.
  for (let turn = 0; turn < 5_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(drip.sent()).toBeLessThan(40);
  let read = 1;
  while (!(await iterator.next()).done) read += 1;
  expect(read).toBe(61);
});
