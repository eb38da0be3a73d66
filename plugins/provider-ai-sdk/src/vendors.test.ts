import type { ChatCompletionChunk, ChatRequest } from '@svc/sdk';
import { fakeCallContext, joinChunks } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { bedrock } from './doubles/bedrock.ts';
import { cohere } from './doubles/cohere.ts';
import { ARGUMENTS, MARKER, TEXT, THOUGHT } from './doubles/vendor.ts';
import { xai } from './doubles/xai.ts';
import { read, setUp, tearDown } from './provider-fixture.ts';

afterEach(tearDown);

const PAY = { type: 'function', function: { name: 'pay', description: 'Pays.', parameters: { type: 'object', properties: {} } } };

function written(chunks: readonly ChatCompletionChunk[], field: 'content' | 'reasoning_content'): string {
  return chunks.map(({ choices }) => choices[0]?.delta[field] ?? '').join('');
}

describe.each([bedrock, cohere, xai])('$package', (vendor) => {
  const scene = () => setUp((url) => ({ package: vendor.package, settings: vendor.settings(url) }));
  const { model } = vendor;
  const request: ChatRequest = {
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Say two words.' },
    ],
    max_tokens: 100,
    temperature: 0.5,
  };
  const calling: ChatRequest = { model, messages: [{ role: 'user', content: 'Pay Ann.' }], tools: [PAY], tool_choice: 'auto' };
  const rejection = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('it did not reject'),
      (error: unknown) => error,
    );

  test('answers whole, with reasoning and usage', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.whole);
    const ids: string[] = [];
    const { completion, unsupported } = await provider.complete(request, fakeCallContext({ onRequestId: (id) => ids.push(id) }));
    expect(completion).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: TEXT, reasoning_content: THOUGHT }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    });
    expect(unsupported).toEqual([]);
    expect(ids).toEqual(['req-77']);
    const [asked] = upstream.requests;
    expect(asked).toMatchObject({ method: 'POST', path: vendor.paths.whole });
    expect(asked?.headers.authorization).toMatch(vendor.authorization);
  });

  test('streams, with reasoning and usage', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.streamed);
    const chunks = await read(provider, request);
    expect(written(chunks, 'content')).toBe(TEXT);
    expect(written(chunks, 'reasoning_content')).toBe(THOUGHT);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    });
    const [asked] = upstream.requests;
    expect(asked).toMatchObject({ path: vendor.paths.streamed });
    expect(asked?.headers.authorization).toMatch(vendor.authorization);
  });

  test('calls a tool, whole and streamed', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.wholeCall, vendor.streamedCall);
    const { completion } = await provider.complete(calling, fakeCallContext());
    const streamed = joinChunks(await read(provider, calling));
    for (const { choices } of [completion, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      const calls = choices[0]?.message.tool_calls ?? [];
      expect(calls).toMatchObject([{ id: 'pay_1', type: 'function', function: { name: 'pay' } }]);
      expect(JSON.parse(calls[0]?.function?.arguments ?? '')).toEqual(ARGUMENTS);
    }
  });

  test('is given the result of a tool', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.whole);
    const called = { id: 'pay_1', type: 'function', function: { name: 'pay', arguments: JSON.stringify(ARGUMENTS) } };
    const messages = [
      ...calling.messages,
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'pay_1', content: 'paid' },
    ];
    await provider.complete({ ...calling, messages }, fakeCallContext());
    expect(upstream.requests[0]?.body).toMatchObject(vendor.toolRequest);
  });

  test('sends the arguments of a call with the digits of their numbers', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.whole);
    const digits = '{"id":12345678901234567890,"sum":0.10,"n":1}';
    const called = { id: 'pay_1', type: 'function', function: { name: 'pay', arguments: digits } };
    const messages = [
      ...calling.messages,
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'pay_1', content: 'paid' },
    ];
    await provider.complete({ ...calling, messages }, fakeCallContext());
    expect(upstream.requests[0]?.text.replaceAll('\\', '')).toContain(digits);
  });

  test('a refusal has its status and pause, and none of its words', async () => {
    const { provider, upstream, deps } = await scene();
    upstream.respond(vendor.refusal, vendor.refusal);
    for (const work of [() => provider.complete(request, fakeCallContext()), () => read(provider, request)]) {
      const error = await rejection(work());
      expect(error).toMatchObject({ kind: 'rate_limited', status: 429, retry_after_s: 7 });
      expect(inspected(error)).not.toContain(MARKER);
    }
    expect(upstream.requests).toHaveLength(2);
    expect(deps.logger.lines).toEqual([]);
  });

  test('a stream that fails in the middle fails', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.failingStream);
    const error = await rejection(read(provider, request));
    expect(error).toMatchObject(vendor.failure);
    expect(inspected(error)).not.toContain(MARKER);
  });

  test('a stream that stops before its end has failed', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.cutStream);
    expect(await rejection(read(provider, request))).toMatchObject({ kind: 'unavailable', cost: 'unknown' });
  });

  test('an abort ends a whole call and a stream, and closes the connection', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(() => undefined, vendor.openStream);
    const whole = new AbortController();
    const asked = rejection(provider.complete(request, fakeCallContext({ signal: whole.signal })));
    const received = await upstream.received(1);
    whole.abort();
    expect(await asked).toMatchObject({ kind: 'aborted' });
    await received.disconnected;

    const streamed = new AbortController();
    const { chunks } = await provider.stream(request, fakeCallContext({ signal: streamed.signal }));
    const iterator = chunks[Symbol.asyncIterator]();
    while (!(await iterator.next()).value?.choices[0]?.delta.content);
    const next = rejection(iterator.next());
    streamed.abort();
    expect(await next).toMatchObject({ kind: 'aborted' });
    await (await upstream.received(2)).disconnected;
  });

  test('a stream that its reader leaves closes its connection, even while a chunk is awaited', async () => {
    const { provider, upstream } = await scene();
    upstream.respond(vendor.openStream);
    const { chunks } = await provider.stream(request, fakeCallContext());
    const iterator = chunks[Symbol.asyncIterator]();
    while (!(await iterator.next()).value?.choices[0]?.delta.content);
    const next = iterator.next();
    await iterator.return?.();
    expect((await next).done).toBe(true);
    await (await upstream.received(1)).disconnected;
  });
});

/** Everything that an error contains, at any depth. */
function inspected(error: unknown): string {
  return error instanceof Error ? JSON.stringify([error.message, error.stack, error.cause, { ...error }]) : '';
}
