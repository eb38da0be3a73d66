import type { ChatCompletionChunk, ChatRequest, Provider } from '@svc/sdk';
import { behaviours, fakeCallContext, joinChunks } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { REQUEST, setUp, tearDown } from './provider-fixture.ts';

const { answer, broken, dripped, frames, JSON_HEADERS, liveStream, RUBBISH, raw, SSE_HEADERS, sseFrame, stalled } = behaviours;

afterEach(tearDown);

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const says = (content: string, finish_reason: string | null = null, index = 0) => ({
  ...HEAD,
  choices: [{ index, delta: { content }, finish_reason }],
});

async function read(provider: Provider, request: ChatRequest = REQUEST): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of (await provider.stream(request, fakeCallContext())).chunks) chunks.push(chunk);
  return chunks;
}

const contents = (chunks: ChatCompletionChunk[]) => chunks.map((chunk) => chunk.choices[0]?.delta.content);

describe('a stream', () => {
  test("asks for usage and keeps the caller's other stream options", async () => {
    const { upstream, provider } = await setUp();
    const stream_options = { include_usage: false, include_obfuscation: false };
    await read(provider, { ...REQUEST, stream: true, stream_options, svc_x: 1 });
    expect(upstream.requests[0]).toMatchObject({ headers: { accept: 'text/event-stream' } });
    expect(upstream.requests[0]?.body).toEqual({
      ...REQUEST,
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
    });
  });

  test('joined, equals the whole answer of the upstream', async () => {
    const { provider } = await setUp();
    const request = { ...REQUEST, n: 2 };
    const { completion } = await provider.complete(request, fakeCallContext());
    expect(joinChunks(await read(provider, request))).toMatchObject({
      choices: completion.choices.map(({ index, message, finish_reason }) => ({
        index,
        message: { content: message.content },
        finish_reason,
      })),
      usage: completion.usage,
    });
  });

  test('carries tool calls', async () => {
    const { upstream, provider } = await setUp();
    const tool_calls = [
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich","n":1}' } },
      { id: 'call_2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ];
    const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' };
    upstream.respond(answer({ ...HEAD, object: 'chat.completion', choices: [choice] }));
    expect(joinChunks(await read(provider)).choices[0]?.message.tool_calls).toEqual(tool_calls);
  });

  test('arrives as it is sent, each chunk without delay', async () => {
    const { upstream, provider } = await setUp();
    const live = liveStream();
    upstream.respond(live.behaviour);
    const { chunks } = await provider.stream(REQUEST, fakeCallContext());
    const iterator = chunks[Symbol.asyncIterator]();
    for (const word of ['one', 'two']) {
      await live.send(says(word));
      expect(await iterator.next()).toMatchObject({ done: false, value: { choices: [{ delta: { content: word } }] } });
    }
    await live.send(says('', 'stop'));
    await live.done();
    expect((await iterator.next()).done).toBe(false);
    expect((await iterator.next()).done).toBe(true);
    expect((await iterator.next()).done).toBe(true);
  });

  test('is read with any division into pieces', async () => {
    const { upstream, provider } = await setUp();
    const text = `: ping\r\n\r\n${sseFrame(says('naïve 日本 👩‍💻'))}${sseFrame(says('', 'stop'))}data: [DONE]\n\n`;
    upstream.respond(dripped(text).behaviour);
    expect(contents(await read(provider))).toEqual(['naïve 日本 👩‍💻', '']);
  });

  test('joins a character that was cut into halves, and returns a lone half as U+FFFD', async () => {
    const { upstream, provider } = await setUp();
    const call = (args: string) => ({
      ...HEAD,
      choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: 'c', function: { arguments: args } }] }, finish_reason: null }],
    });
    const sent = [says('a\ud83d'), call('["\ud83d'), says('\udc69b'), call('\udc69"]'), says('c\ud83d'), says('\ud83d', 'stop')];
    // JSON.stringify writes the halves as escapes, as servers do that split characters.
    upstream.respond(frames(sent));
    const chunks = await read(provider);
    expect(JSON.stringify(chunks).isWellFormed()).toBe(true);
    const [first, second] = joinChunks(chunks).choices;
    expect(first?.message.content).toBe('a👩bc\uFFFD\uFFFD');
    expect(second?.message.tool_calls?.[0]?.function?.arguments).toBe('["👩"]');
  });

  test('with running usage gives every count, the last one at the end', async () => {
    const { upstream, provider } = await setUp();
    const counted = (tokens: number, frame: object) => ({
      ...frame,
      usage: { prompt_tokens: 3, completion_tokens: tokens, total_tokens: 3 + tokens },
    });
    upstream.respond(frames([counted(1, says('a')), counted(2, says('b')), counted(2, says('', 'stop'))]));
    const chunks = await read(provider);
    expect(chunks.map(({ usage }) => usage?.completion_tokens)).toEqual([1, 2, 2]);
    expect(joinChunks(chunks).usage).toEqual({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  });

  test('ends with [DONE], whatever comes after it', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(frames([says('a'), '[DONE]', says('b'), 'rubbish']));
    expect(contents(await read(provider))).toEqual(['a']);
  });

  test('may end without [DONE] once every choice has ended', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(frames([says('a', 'stop')], { done: false }));
    expect(contents(await read(provider))).toEqual(['a']);
  });

  test('leaves its connection to the next call, whatever comes after [DONE]', async () => {
    const { upstream, provider } = await setUp({ connections: 1 });
    upstream.respond(raw(200, SSE_HEADERS, `${sseFrame(says('a'))}${sseFrame('[DONE]')}${': x\n'.repeat(200_000)}`));
    await read(provider);
    await read(provider);
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('does not keep its connection for an upstream that never stops', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(`${sseFrame(says('a'))}${sseFrame('[DONE]')}`, SSE_HEADERS));
    await read(provider);
    await upstream.requests[0]?.disconnected;
  });
});

describe('a stream breaks off', () => {
  test.each([
    ['nothing', frames([], { done: false }), 'unavailable'],
    ['no finish_reason and no [DONE]', frames([says('a')], { done: false }), 'unavailable'],
    ['one of two choices open', frames([says('a', 'stop'), says('b', null, 1)], { done: false }), 'unavailable'],
    ['a broken connection', broken(sseFrame(says('a')), SSE_HEADERS), 'unavailable'],
    ['an unfinished frame', raw(200, SSE_HEADERS, sseFrame(says('a', 'stop')).trimEnd()), 'unavailable'],
    ['[DONE] and nothing else', frames([]), 'malformed'],
    ['a frame of rubbish', frames([says('a'), '{"cho']), 'malformed'],
    ['an error frame', frames([says('a'), { error: { message: 'x' } }]), 'unavailable'],
  ])('with %s', async (_name, behaviour, kind) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    await expect(read(provider)).rejects.toMatchObject({ name: 'ProviderError', kind });
  });

  test('beyond max_response_bytes, after earlier chunks have arrived', async () => {
    const { upstream, provider } = await setUp({ max_response_bytes: 4_000 });
    upstream.respond(frames([says('a'), says('x'.repeat(4_000))]));
    await expect(read(provider)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('when the upstream falls silent', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(sseFrame(says('a')), SSE_HEADERS));
    const { chunks } = await provider.stream(REQUEST, fakeCallContext({ timeout_ms: 50 }));
    const iterator = chunks[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    await expect(iterator.next()).rejects.toMatchObject({ kind: 'timeout' });
    await upstream.requests[0]?.disconnected;
  });
});

describe('an answer that is not a stream', () => {
  test.each(Object.entries(RUBBISH))('%s is malformed before the first chunk', async (_name, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    await expect(provider.stream(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('even with valid content, is malformed, and its connection is closed', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled('{', JSON_HEADERS));
    await expect(provider.stream(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
    await upstream.requests[0]?.disconnected;
  });
});

describe('leaving', () => {
  test('the loop early closes the connection', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(dripped(endless('word ')).behaviour);
    for await (const chunk of (await provider.stream(REQUEST, fakeCallContext())).chunks) {
      expect(chunk.choices).toHaveLength(1);
      break;
    }
    await upstream.requests[0]?.disconnected;
  });

  test('while the next chunk is awaited closes the connection too', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(sseFrame(says('a')), SSE_HEADERS));
    const iterator = (await provider.stream(REQUEST, fakeCallContext())).chunks[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    await upstream.requests[0]?.disconnected;
    expect((await waiting).done).toBe(true);
  });

  test('before the first chunk closes the connection too', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(dripped(endless('word ')).behaviour);
    const { chunks } = await provider.stream(REQUEST, fakeCallContext());
    await chunks[Symbol.asyncIterator]().return?.();
    await upstream.requests[0]?.disconnected;
  });

  test('by abort while the next chunk is awaited rejects it and closes the connection', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(sseFrame(says('a')), SSE_HEADERS));
    const controller = new AbortController();
    const { chunks } = await provider.stream(REQUEST, fakeCallContext({ signal: controller.signal }));
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    const rejected = expect(iterator.next()).rejects.toMatchObject({ kind: 'aborted' });
    controller.abort();
    await rejected;
    await upstream.requests[0]?.disconnected;
  });

  test('a stream with an error closes the connection', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(stalled(sseFrame({ error: { message: 'x' } }), SSE_HEADERS));
    await expect(read(provider)).rejects.toMatchObject({ kind: 'unavailable' });
    await upstream.requests[0]?.disconnected;
  });
});

function* endless(word: string): Generator<string> {
  const frame = sseFrame(says(word));
  while (true) yield frame;
}

test('a slow reader slows the upstream', async () => {
  const { upstream, provider } = await setUp({ max_response_bytes: 67_108_864 });
  const MEGABYTE = 1_048_576;
  const pieces = Array.from({ length: 60 }, () => sseFrame(says('x'.repeat(MEGABYTE))));
  const drip = dripped([...pieces, sseFrame(says('', 'stop'))]);
  upstream.respond(drip.behaviour);
  const { chunks } = await provider.stream(REQUEST, fakeCallContext());
  const iterator = chunks[Symbol.asyncIterator]();
  await iterator.next();
  // Enough turns of the event loop for both ends to transfer all 60 MB at 16 kB a turn, if anyone were reading.
  for (let turn = 0; turn < 5_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(drip.sent()).toBeLessThan(40);
  let read = 1;
  while (!(await iterator.next()).done) read += 1;
  expect(read).toBe(61);
});
