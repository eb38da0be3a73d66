import type { ChatCompletionChunk, Provider } from '@svc/sdk';
import { anthropic, behaviours, fakeCallContext, joinChunks, UPSTREAM_MARKER } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { REQUEST, setUp, tearDown } from './anthropic.ts';

const { broken, dripped, raw, SSE_HEADERS, stalled } = behaviours;
const { errorEvent, eventFrame, events, eventsOf, messageOf } = anthropic;

afterEach(tearDown);

async function read(provider: Provider): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of (await provider.stream(REQUEST, fakeCallContext())).chunks) chunks.push(chunk);
  return chunks;
}

const tool = (input: unknown, id = 'toolu_1') => ({ type: 'tool_use', id, name: 'f', input });
const WHOLE: Record<string, Partial<anthropic.AnthropicMessage>> = {
  text: {},
  'no text at all': { content: [] },
  'stopped by the limit': { stop_reason: 'max_tokens' },
  'a refusal': { content: [{ type: 'text', text: 'I c' }], stop_reason: 'refusal' },
  'tool calls': {
    content: [
      { type: 'text', text: 'I will look.' },
      tool({ city: 'Zürich 👩‍💻', days: [1, 2], deep: { quote: '"' } }),
      tool({}, 'toolu_2'),
      tool({ n: 0 }, 'toolu_3'),
    ],
    stop_reason: 'tool_use',
  },
  'a tool call alone': { content: [tool({ a: 1 })], stop_reason: 'tool_use' },
  'cached usage': {
    usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 9 },
  },
  'usage that makes no sense': { usage: { input_tokens: -1, output_tokens: 1 } },
};

test.each(Object.entries(WHOLE))("%s: joined, it equals the upstream's whole answer", async (_name, changes) => {
  const { upstream, provider } = await setUp();
  upstream.respond(anthropic.answer(changes), anthropic.answer(changes));
  const { completion } = await provider.complete(REQUEST, fakeCallContext());
  const [choice] = completion.choices;
  const joined = joinChunks(await read(provider));
  expect(upstream.requests[1]).toMatchObject({ headers: { accept: 'text/event-stream' }, body: { stream: true } });
  expect({ ...joined, choices: [{ ...joined.choices[0], logprobs: null }] }).toEqual({ ...completion, choices: [choice] });
});

test('thinking is separate from the answer; each block follows its text, to be sent back', async () => {
  const { upstream, provider } = await setUp();
  const content = [
    { type: 'thinking', thinking: 'Two and two. Four.', signature: 'SIGNATURE' },
    { type: 'redacted_thinking', data: 'REDACTED' },
    { type: 'thinking', thinking: '', signature: 'OMITTED' },
    { type: 'thinking', thinking: 'unsigned', signature: '' },
    { type: 'text', text: 'It is four.' },
  ];
  upstream.respond(anthropic.answer({ content }));
  const chunks = await read(provider);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe('Two and two. Four.unsigned');
  const order = deltas.flatMap(({ thinking_blocks, content: said }) => thinking_blocks ?? (said == null ? [] : ['text']));
  expect(order.slice(0, 4)).toEqual([...content.slice(0, 3), 'text']);
  const before = deltas.slice(
    0,
    deltas.findIndex(({ thinking_blocks }) => thinking_blocks !== undefined),
  );
  expect(before.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe('Two and two. Four.');
  expect(joinChunks(chunks).choices[0]?.message.content).toBe('It is four.');
});

test('sends the head with the first counts, then text as it arrives, the end, and finally the whole usage', async () => {
  const { upstream, provider } = await setUp();
  const message = messageOf({ model: 'claude-1' }, { content: [{ type: 'text', text: 'eleven long' }] });
  upstream.respond(events(eventsOf(message)));
  const head = { id: 'msg_upstream', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'claude-1' };
  const delta = (said: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta: said, finish_reason }],
  });
  expect(await read(provider)).toEqual([
    { ...delta({ role: 'assistant' }), usage: expect.objectContaining({ prompt_tokens: message.usage.input_tokens }) },
    delta({ content: 'eleven l' }),
    delta({ content: 'ong' }),
    delta({}, 'stop'),
    { ...head, choices: [], usage: expect.objectContaining({ completion_tokens: message.usage.output_tokens }) },
  ]);
});

test('counts are cumulative: the last of each is used', async () => {
  const { upstream, provider } = await setUp();
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 5, output_tokens: 1 };
  const [start, ...rest] = eventsOf(messageOf({}, { usage, stop_reason: 'max_tokens' }));
  const counted = (more: object) => ({ type: 'message_delta', delta: {}, usage: more });
  const stop = rest.pop();
  upstream.respond(
    events([
      ...[start, ...rest].filter((event) => event !== undefined),
      counted({ output_tokens: 7, input_tokens: 12 }),
      counted({ output_tokens: 9, input_tokens: null }),
      ...(stop === undefined ? [] : [stop]),
    ]),
  );
  const chunks = await read(provider);
  expect(chunks.filter((chunk) => chunk.usage)).toMatchObject([
    { usage: { prompt_tokens: 15, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 5 } } },
    { usage: { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26, prompt_tokens_details: { cached_tokens: 5 } } },
  ]);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
});

test('with an invalid last count, the gateway counts the output and keeps the input counts', async () => {
  const { upstream, provider } = await setUp();
  const usage = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 5, output_tokens: 1 };
  const [start] = eventsOf(messageOf({}, { usage }));
  const end = { type: 'message_delta', delta: {}, usage: { output_tokens: -1 } };
  upstream.respond(events([...(start === undefined ? [] : [start]), end, { type: 'message_stop' }]));
  expect((await read(provider)).at(-1)).toMatchObject({
    usage: { prompt_tokens: 17, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 5 } },
  });
});

test('the cost of a truncated message is known from its beginning', async () => {
  const { upstream, provider } = await setUp();
  const usage = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 1 };
  const [start] = eventsOf(messageOf({}, { usage }));
  upstream.respond(events(start === undefined ? [] : [start]));
  const iterator = (await provider.stream(REQUEST, fakeCallContext())).chunks[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toMatchObject({
    usage: { prompt_tokens: 130, completion_tokens: 1, total_tokens: 131, prompt_tokens_details: { cached_tokens: 100 } },
  });
  await expect(iterator.next()).rejects.toMatchObject({ kind: 'unavailable' });
});

const [START, ...REST] = eventsOf(messageOf({}));
const begun = START === undefined ? [] : [START];
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const grown = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const closed = (index: number) => ({ type: 'content_block_stop', index });
const END = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }, { type: 'message_stop' }];

test('a character cut into halves is joined, and a lone half becomes U+FFFD', async () => {
  const { upstream, provider } = await setUp();
  const says = (text: string) => grown(0, { type: 'text_delta', text });
  const writes = (partial_json: string) => grown(1, { type: 'input_json_delta', partial_json });
  upstream.respond(
    events([
      ...begun,
      block(0, { type: 'text', text: '' }),
      block(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      ...[says('a\ud83d'), writes('{"k":"\ud83d'), says('\udc69b'), writes('\udc69"}'), says('c\ud83d'), says('\ud83d')],
      ...[closed(0), closed(1), ...END],
    ]),
  );
  const chunks = await read(provider);
  expect(joinChunks(chunks).choices[0]?.message).toMatchObject({
    content: 'a👩bc\uFFFD\uFFFD',
    tool_calls: [{ function: { arguments: '{"k":"👩"}' } }],
  });
});

test('unknown events, blocks and deltas add nothing', async () => {
  const { upstream, provider } = await setUp();
  upstream.respond(
    events([
      { type: 'not_invented_yet', index: 'x' },
      ...begun,
      block(0, { type: 'server_thing', text: 'x' }),
      grown(0, { type: 'text_delta', text: 'x' }),
      closed(0),
      block(1, { type: 'text', text: 'hi' }),
      grown(1, { type: 'citations_delta', citation: {} }),
      closed(1),
      { type: 'ping' },
      ...END,
    ]),
  );
  expect(joinChunks(await read(provider)).choices[0]?.message.content).toBe('hi');
});

test('is read in any pieces, and ends with message_stop, whatever follows', async () => {
  const { upstream, provider } = await setUp({ connections: 1 });
  const text = [...eventsOf(messageOf({}, { content: [{ type: 'text', text: 'naïve 日本 👩‍💻' }] })), ...REST]
    .map(eventFrame)
    .join('');
  upstream.respond(dripped(text).behaviour);
  expect(joinChunks(await read(provider)).choices[0]?.message.content).toBe('naïve 日本 👩‍💻');
  await read(provider);
  expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1]);
});

describe('an error inside the stream', () => {
  test.each([
    ['overloaded_error', 'unavailable', 529],
    ['api_error', 'unavailable', 500],
    ['timeout_error', 'timeout', 504],
    ['rate_limit_error', 'rate_limited', 429],
    ['invalid_request_error', 'invalid_request', 400],
    ['request_too_large', 'invalid_request', 413],
    ['authentication_error', 'configuration', 401],
    ['not_invented_yet', 'unavailable', undefined],
  ])('%s is %s, after the chunks before it', async (type, kind, status) => {
    const { upstream, provider } = await setUp();
    upstream.respond(events([...begun, errorEvent(type)]));
    const { chunks } = await provider.stream(REQUEST, fakeCallContext());
    const iterator = chunks[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    const error: unknown = await iterator.next().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ProviderError', kind, status });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(UPSTREAM_MARKER);
  });
});

describe('a stream breaks off', () => {
  const WITHOUT_STOP = [...begun, ...REST.slice(0, -1)];

  test.each([
    ['nothing', events([]), 'unavailable'],
    ['no message_stop', events(WITHOUT_STOP), 'unavailable'],
    ['a broken connection', broken(WITHOUT_STOP.map(eventFrame).join(''), SSE_HEADERS), 'unavailable'],
    ['an unfinished event', raw(200, SSE_HEADERS, [...begun, ...REST].map(eventFrame).join('').trimEnd()), 'unavailable'],
    ['the end alone', events([{ type: 'message_stop' }]), 'malformed'],
    ['two beginnings', events([...begun, ...begun]), 'malformed'],
    ['a block before the message', events([block(0, { type: 'text', text: '' })]), 'malformed'],
    ['a delta of no block', events([...begun, grown(0, { type: 'text_delta', text: 'x' })]), 'malformed'],
    ['a delta of a block that has ended', events([...WITHOUT_STOP, grown(0, { type: 'text_delta', text: 'x' })]), 'malformed'],
    [
      'an error by the name of its event alone',
      raw(200, SSE_HEADERS, 'event: error\ndata: {"error":{"type":"rate_limit_error"}}\n\n'),
      'rate_limited',
    ],
    ['a content block that is not an object', events([...begun, { type: 'content_block_start', index: 0 }]), 'malformed'],
    ['a text that is a number', events([...begun, block(0, { type: 'text', text: 7 })]), 'malformed'],
    ['a tool without an id', events([...begun, block(0, { type: 'tool_use', name: 'f' })]), 'malformed'],
    ['rubbish', raw(200, SSE_HEADERS, `${begun.map(eventFrame).join('')}data: {"ty\n\n`), 'malformed'],
    ['a list', raw(200, SSE_HEADERS, 'data: []\n\n'), 'malformed'],
    ['an answer that is no stream', raw(200, { 'content-type': 'application/json' }, '{}'), 'malformed'],
  ])('with %s', async (_name, behaviour, kind) => {
    const { upstream, provider } = await setUp();
    upstream.respond(behaviour);
    await expect(read(provider)).rejects.toMatchObject({ name: 'ProviderError', kind });
  });
});

test('leaving while the next chunk is awaited closes the connection', async () => {
  const { upstream, provider } = await setUp();
  upstream.respond(stalled(begun.map(eventFrame).join(''), SSE_HEADERS));
  const iterator = (await provider.stream(REQUEST, fakeCallContext())).chunks[Symbol.asyncIterator]();
  await iterator.next();
  const waiting = iterator.next();
  await iterator.return?.();
  await upstream.requests[0]?.disconnected;
  expect((await waiting).done).toBe(true);
});
