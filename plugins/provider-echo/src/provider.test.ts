import type { ChatRequest, Clock } from '@svc/sdk';
import { fakeCallContext, joinChunks, providerConformance } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import { echoProvider } from './provider.ts';

const clock: Clock = { now: () => 1_700_000_000_999, monotonic: () => 0 };
const context = fakeCallContext();
const provider = echoProvider(clock, null);

function asking(content: ChatRequest['messages'][number]['content'], more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'echo-1', messages: [{ role: 'user', content: content ?? null }], ...more };
}

async function streamed(request: ChatRequest) {
  const chunks = [];
  for await (const chunk of (await provider.stream(request, context)).chunks) chunks.push(chunk);
  return chunks;
}

describe('conformance', () => {
  for (const { name, run } of providerConformance({ create: () => echoProvider(clock, null), model: 'echo-1' })) test(name, run);
});

describe('complete', () => {
  test('repeats the last user message and says that it is an echo', async () => {
    const request: ChatRequest = {
      model: 'echo-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'echo: first' },
        { role: 'user', content: 'second  one\n' },
      ],
    };
    const { completion, unsupported } = await provider.complete(request, context);
    expect(completion).toEqual({
      id: 'chatcmpl-run-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'echo-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'echo: second  one\n' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(unsupported).toEqual([]);
  });

  test('joins text parts and names the others by type', async () => {
    const parts = [
      { type: 'text', text: 'What is' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'text', text: 'this?' },
    ];
    const { completion } = await provider.complete(asking(parts), context);
    expect(completion.choices[0]?.message.content).toBe('echo: What is [image_url] this?');
  });

  test.each([
    ['no user message', { model: 'echo-1', messages: [{ role: 'system', content: 'x' }] }],
    ['null content', asking(null)],
    ['empty content', asking('')],
  ])('answers %s', async (_name, request) => {
    const { completion } = await provider.complete(request, context);
    expect(completion.choices[0]?.message.content).toBe('echo: (nothing to repeat)');
  });

  test('gives n choices and counts each', async () => {
    const { completion } = await provider.complete(asking('two words', { n: 3 }), context);
    expect(completion.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(completion.usage).toEqual({ prompt_tokens: 2, completion_tokens: 9, total_tokens: 11 });
  });

  test.each([{ max_tokens: 2 }, { max_completion_tokens: 2 }, { max_completion_tokens: 2, max_tokens: 1 }])(
    'stops at the limit of %o',
    async (bound) => {
      const { completion } = await provider.complete(asking('one two three', bound), context);
      expect(completion.choices[0]).toMatchObject({ message: { content: 'echo: one ' }, finish_reason: 'length' });
      expect(completion.usage?.completion_tokens).toBe(2);
    },
  );

  test.each([{ n: 0 }, { n: 17 }, { n: 1.5 }, { max_tokens: -1 }])('refuses %o', async (parameters) => {
    const refusal = { kind: 'unsupported', status: 400 };
    await expect(provider.complete(asking('x', parameters), context)).rejects.toMatchObject(refusal);
    await expect(provider.stream(asking('x', parameters), context)).rejects.toMatchObject(refusal);
  });

  test('names the parameters that it cannot honour, and only those that were sent', async () => {
    const request = asking('x', { temperature: 0, tools: [{}], tool_choice: 'required', stop: null, n: 1, max_tokens: 10 });
    expect((await provider.complete(request, context)).unsupported).toEqual(['temperature', 'tools', 'tool_choice']);
    expect((await provider.stream(request, context)).unsupported).toEqual(['temperature', 'tools', 'tool_choice']);
  });
});

describe('stream', () => {
  test('sends one word at a time', async () => {
    const chunks = await streamed(asking('one  two'));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['', 'echo: ', 'one  ', 'two', undefined, undefined]);
  });

  test.each([1, 3])('joined, equals the answer of complete (n = %i)', async (n) => {
    const request = asking('one two three', { n, max_tokens: 3 });
    expect(joinChunks(await streamed(request))).toEqual((await provider.complete(request, context)).completion);
  });

  test('with a pace gives the same answer, and stops when it is aborted', async () => {
    const paced = echoProvider(clock, 1000);
    const chunks = [];
    for await (const chunk of (await paced.stream(asking('one two'), context)).chunks) chunks.push(chunk);
    expect(chunks).toEqual(await streamed(asking('one two')));
    const leaving = new AbortController();
    const slow = await echoProvider(clock, 1).stream(asking('one two'), { ...context, signal: leaving.signal });
    const reading = (async () => {
      for await (const _ of slow.chunks) leaving.abort();
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' });
  });
});
