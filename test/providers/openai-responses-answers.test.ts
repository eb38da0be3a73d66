import type { ChatCompletionChunk, Provider } from '@svc/sdk';
import { behaviours, fakeCallContext, responses } from '@svc/sdk/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { REQUEST, setUp, tearDown } from './openai-responses.ts';

const { broken, failure, RUBBISH, SSE_HEADERS } = behaviours;
const { answer, eventFrame, events, eventsOf, messageItem, responseOf } = responses;

afterEach(tearDown);

async function read(provider: Provider): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of (await provider.stream(REQUEST, fakeCallContext())).chunks) chunks.push(chunk);
  return chunks;
}

const ITEMS: Record<string, responses.ResponseItem> = {
  thought: {
    id: 'rs_1',
    type: 'reasoning',
    summary: [
      { type: 'summary_text', text: 'First I look.' },
      { type: 'summary_text', text: 'Then I call.' },
    ],
    encrypted_content: 'gAAAAAB',
  },
  said: messageItem('I call, naïve 日本.'),
  refused: { id: 'msg_2', type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
  cited: {
    id: 'msg_3',
    type: 'message',
    role: 'assistant',
    content: [
      {
        type: 'output_text',
        text: 'See there.',
        annotations: [{ type: 'url_citation', start_index: 4, end_index: 9, url: 'https://example.org', title: 'There' }],
      },
    ],
  },
  call: { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"city":"Zürich"}' },
  custom: { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: '*** Begin' },
  search: { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
};
const output = (...names: string[]) => names.flatMap((name) => ITEMS[name] ?? []);

describe('an answer', () => {
  test('streamed and joined equals the whole answer, whatever its items', async () => {
    const { upstream, provider } = await setUp();
    const items = fc.array(fc.constantFrom(...Object.keys(ITEMS)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(items, async (names) => {
        upstream.respond(answer({ output: output(...names) }), answer({ output: output(...names) }));
        const { completion } = await provider.complete(REQUEST, fakeCallContext());
        expect(upstream.requests.at(-1)?.path).toBe('/v1/responses');
        const [whole] = completion.choices;
        const deltas = (await read(provider)).flatMap(({ choices }) => choices.map(({ delta }) => delta));
        const text = (field: string) => deltas.map((delta) => delta[field] ?? '').join('');
        for (const field of ['content', 'refusal', 'reasoning_content']) expect(text(field)).toBe(whole?.message[field] ?? '');
        for (const field of ['annotations', 'reasoning_details', 'vendor_calls'])
          expect(deltas.flatMap((delta) => delta[field] ?? [])).toEqual(whole?.message[field] ?? []);
        const called = new Map<number, string>();
        for (const { index, ...piece } of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
          const { custom } = piece as { custom?: { input?: string } };
          called.set(index, (called.get(index) ?? '') + (piece.function?.arguments ?? '') + (custom?.input ?? ''));
        }
        const written = (whole?.message.tool_calls ?? []).map(
          (call) => call.function?.arguments ?? (call.custom as { input: string }).input,
        );
        expect([...called.values()]).toEqual(written);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a failure', () => {
  test.each(Object.entries(RUBBISH))('%s is malformed, or the error that it reports', async (name, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour, behaviour);
    // Some servers report what failed with status 200, as of the chat format.
    const whole = name === 'an error object' ? 'unavailable' : 'malformed';
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: whole });
    await expect(read(provider)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('a stream that ends before its last event, or breaks, is unavailable', async () => {
    const { upstream, provider } = await setUp();
    const begun = eventsOf(responseOf(REQUEST)).slice(0, 6);
    upstream.respond(events(begun), broken(begun.map((event) => eventFrame(event)).join(''), SSE_HEADERS), failure(500));
    for (let time = 0; time < 3; time += 1) await expect(read(provider)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
