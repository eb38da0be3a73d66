import type { ChatCompletionChunk, Provider } from '@svc/sdk';
import { behaviours, fakeCallContext, joinChunks, responses } from '@svc/sdk/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { REQUEST, setUp, tearDown } from './openai-responses.ts';

const { broken, failure, JSON_HEADERS, RUBBISH, raw, SSE_HEADERS } = behaviours;
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
  test('is a chat completion', async () => {
    const { upstream, provider } = await setUp();
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 17,
    };
    upstream.respond(answer({ output: output('thought', 'said', 'call', 'custom'), usage, model: 'gpt-1' }));
    const { completion } = await provider.complete(REQUEST, fakeCallContext());
    expect(upstream.requests[0]?.path).toBe('/v1/responses');
    expect(completion).toEqual({
      // The head is the gateway's.
      id: 'run-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'm-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I call, naïve 日本.',
            reasoning_content: 'First I look.\n\nThen I call.',
            reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAAAAB', id: 'rs_1', format: 'openai-responses-v1' }],
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich"}' } },
              { id: 'call_2', type: 'custom', custom: { name: 'c', input: '*** Begin' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 7,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    });
  });

  test('of several texts has a break between them, which its citations count', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(answer({ output: output('said', 'cited') }));
    const [choice] = (await provider.complete(REQUEST, fakeCallContext())).completion.choices;
    const content = String(choice?.message.content);
    expect(content).toBe('I call, naïve 日本.\n\nSee there.');
    const [cited] = (choice?.message.annotations ?? []) as { url_citation: { start_index: number; end_index: number } }[];
    const { start_index, end_index } = cited?.url_citation ?? {};
    expect(content.slice(start_index, end_index)).toBe('there');
  });

  test('has no reasoning that led to nothing that goes back', async () => {
    const { upstream, provider } = await setUp();
    upstream.respond(answer({ output: output('thought', 'search', 'said', 'thought') }));
    const { choices, svc_left_out } = (await provider.complete(REQUEST, fakeCallContext())).completion;
    expect(choices[0]?.message.reasoning_details).toHaveLength(1);
    expect(choices[0]?.message.reasoning_content).toBe('First I look.\n\nThen I call.\n\nFirst I look.\n\nThen I call.');
    expect(svc_left_out).toEqual(['output.encrypted_content']);
  });

  test.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    [{ output: output('call') }, 'tool_calls'],
    [{ output: output('refused') }, 'stop'],
  ])('%j ends with %s, streamed too', async (changes, finish_reason) => {
    const { upstream, provider } = await setUp();
    upstream.respond(answer(changes), answer(changes));
    expect((await provider.complete(REQUEST, fakeCallContext())).completion.choices[0]?.finish_reason).toBe(finish_reason);
    expect(joinChunks(await read(provider)).choices[0]?.finish_reason).toBe(finish_reason);
  });

  test('streamed and joined is what it is as a whole, whatever its items', async () => {
    const { upstream, provider } = await setUp();
    const items = fc.array(fc.constantFrom(...Object.keys(ITEMS)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(items, async (names) => {
        upstream.respond(answer({ output: output(...names) }), answer({ output: output(...names) }));
        const { completion } = await provider.complete(REQUEST, fakeCallContext());
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

  test('that cuts a character into its halves gives it whole', async () => {
    const { upstream, provider } = await setUp();
    const response = responseOf(REQUEST);
    const halves = ['a\ud83d', '\udc69b'].map((delta) => ({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta,
    }));
    upstream.respond(events([...halves, ...eventsOf({ ...response, output: [] }).slice(-1)]));
    expect(joinChunks(await read(provider)).choices[0]?.message.content).toBe('a👩b');
  });
});

describe('a failure', () => {
  const failed = (code: string) => ({ status: 'failed', error: { code, message: 'x' }, output: [] });
  test.each([
    ['rate_limit_exceeded', 'rate_limited'],
    ['server_error', 'unavailable'],
    ['invalid_prompt', 'invalid_request'],
    ['image_too_large', 'invalid_request'],
    ['data_residency_mismatch', 'configuration'],
    ['context_length_exceeded', 'invalid_request'],
    ['insufficient_quota', 'rate_limited'],
    ['model_not_found', 'configuration'],
    ['server_is_overloaded', 'unavailable'],
    ['not_invented_yet', 'unavailable'],
  ])('%s is %s: whole, in its last event, and as an event of its own', async (code, kind) => {
    const { upstream, provider } = await setUp();
    upstream.respond(answer(failed(code)), answer(failed(code)));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ name: 'ProviderError', kind });
    await expect(read(provider)).rejects.toMatchObject({ kind });
    upstream.respond(events([...eventsOf(responseOf(REQUEST)).slice(0, 5), { type: 'error', code, message: 'x', param: null }]));
    await expect(read(provider)).rejects.toMatchObject({ kind });
  });

  test.each(Object.entries(RUBBISH))('%s is malformed, or what it reports', async (name, behaviour) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour, behaviour);
    // Some servers report what failed with status 200, as of the chat format.
    const whole = name === 'an error object' ? 'unavailable' : 'malformed';
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: whole });
    await expect(read(provider)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test.each<[string, object]>([
    ['no output', { output: undefined }],
    ['an answer under way', { status: 'in_progress' }],
    ['a text that is a number', { output: [{ type: 'message', content: [{ type: 'output_text', text: 7 }] }] }],
    ['a call without a name', { output: [{ type: 'function_call', call_id: 'c', arguments: '{}' }] }],
  ])('%s is malformed', async (_name, changes) => {
    const { upstream, provider } = await setUp();
    upstream.respond(raw(200, JSON_HEADERS, JSON.stringify({ ...responseOf(REQUEST), ...changes })));
    await expect(provider.complete(REQUEST, fakeCallContext())).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('a stream that ends before its last event, or breaks, is unavailable', async () => {
    const { upstream, provider } = await setUp();
    const begun = eventsOf(responseOf(REQUEST)).slice(0, 6);
    upstream.respond(events(begun), broken(begun.map((event) => eventFrame(event)).join(''), SSE_HEADERS), failure(500));
    for (let time = 0; time < 3; time += 1) await expect(read(provider)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each<[string, responses.ResponseEvent]>([
    ['of no item', { type: 'response.function_call_arguments.delta', delta: 'x' }],
    ['of no call', { type: 'response.function_call_arguments.delta', output_index: 4, delta: 'x' }],
    ['without its text', { type: 'response.output_text.delta', output_index: 0, content_index: 0 }],
    ['that ends nothing', { type: 'response.completed' }],
  ])('an event %s is malformed', async (_what, event) => {
    const { upstream, provider } = await setUp();
    upstream.respond(events([event]));
    await expect(read(provider)).rejects.toMatchObject({ kind: 'malformed' });
  });
});
