import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, broken, dripped, failure, frames, held, liveStream, RUBBISH, stalled } from './behaviours.ts';
import { startUpstream, UPSTREAM_MARKER, type Upstream } from './index.ts';

const BODY = { model: 'm', messages: [{ role: 'user' as const, content: 'hello there' }] };

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

function post(body: unknown = BODY, signal?: AbortSignal): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

describe('the official client', () => {
  const client = () => new OpenAI({ baseURL: upstream.url, apiKey: 'sk-1', maxRetries: 0 });

  test('reads an answer', async () => {
    const completion = await client().chat.completions.create(BODY);
    expect(completion.choices[0]?.message.content).toBe('upstream: hello there');
    expect(completion.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
    expect(upstream.requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer sk-1' } });
  });

  test('reads a stream, with usage if requested', async () => {
    for (const include_usage of [true, false]) {
      const stream = client().chat.completions.stream({ ...BODY, stream: true, stream_options: { include_usage } });
      expect(await stream.finalContent()).toBe('upstream: hello there');
      expect((await stream.totalUsage()).total_tokens > 0).toBe(include_usage);
    }
  });

  test('understands a refusal', async () => {
    upstream.respond(failure(429, { 'retry-after': '3' }));
    await expect(client().chat.completions.create(BODY)).rejects.toMatchObject({ status: 429, code: 'refused' });
  });
});

test('behaviours are used in order, one per request; later requests are answered', async () => {
  upstream.respond(failure(500), answer('one'));
  expect((await post()).status).toBe(500);
  expect(await (await post()).json()).toMatchObject({ choices: [{ message: { content: 'one' } }] });
  expect(await (await post()).json()).toMatchObject({ choices: [{ message: { content: 'upstream: hello there' } }] });
  expect(upstream.requests.map(({ body }) => body)).toEqual([BODY, BODY, BODY]);
});

test('a held request is received at once and answered on release', async () => {
  const slow = held(answer('late'));
  upstream.respond(slow.behaviour);
  const call = post();
  expect((await upstream.received(1)).body).toEqual(BODY);
  slow.release();
  expect(await (await call).json()).toMatchObject({ choices: [{ message: { content: 'late' } }] });
});

test.each([
  ['held', () => held(answer()).behaviour],
  ['stalled', () => stalled()],
  ['stalled in the body', () => stalled('{')],
])('the client that leaves while %s is noticed', async (_name, behaviour) => {
  upstream.respond(behaviour());
  const controller = new AbortController();
  const call = post(BODY, controller.signal).then((response) => response.text());
  const { disconnected } = await upstream.received(1);
  controller.abort();
  await expect(call).rejects.toThrow();
  await disconnected;
});

test.each([
  ['before the headers', broken()],
  ['in the body', broken('{"id"')],
])('a connection breaks %s', async (_where, behaviour) => {
  upstream.respond(behaviour);
  await expect(post().then((response) => response.text())).rejects.toThrow();
});

test('a slow answer ends with its pieces or with the client', async () => {
  const finite = dripped('data: [DONE]\n\n');
  const endless = dripped(
    (function* () {
      while (true) yield ': x\n';
    })(),
  );
  upstream.respond(finite.behaviour, endless.behaviour);
  expect(await (await post()).text()).toBe('data: [DONE]\n\n');
  expect(finite.sent()).toBe(14);
  await (await post()).body?.cancel();
  await upstream.requests[1]?.disconnected;
});

test('frames are sent unchanged', async () => {
  upstream.respond(frames([{ a: 1 }, 'text']), frames([1], { done: false }));
  expect(await (await post()).text()).toBe('data: {"a":1}\n\ndata: text\n\ndata: [DONE]\n\n');
  expect(await (await post()).text()).toBe('data: 1\n\n');
});

test('a live stream is written by the test, and knows when the client has left', async () => {
  const [first, second] = [liveStream(), liveStream()];
  upstream.respond(first.behaviour, second.behaviour);
  const response = await post();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await first.send({ n: 1 })).toBe(true);
  expect(await reader?.read()).toEqual({ done: false, value: 'data: {"n":1}\n\n' });
  await first.done();
  expect(await reader?.read()).toEqual({ done: false, value: 'data: [DONE]\n\n' });
  await (await post()).body?.cancel();
  await upstream.requests[1]?.disconnected;
  expect(await second.send({ n: 1 })).toBe(false);
});

test('garbage and refusals are marked', async () => {
  upstream.respond(failure(400), RUBBISH.html ?? failure(400));
  expect(await (await post()).text()).toContain(UPSTREAM_MARKER);
  expect(await (await post()).text()).toContain(UPSTREAM_MARKER);
});

test('an error in a behaviour fails the call, and close throws it', async () => {
  const other = await startUpstream();
  other.respond(() => Promise.reject(new Error('a mistake in the test')));
  await expect(fetch(other.url)).rejects.toThrow();
  await expect(other.close()).rejects.toThrow('a mistake in the test');
});
