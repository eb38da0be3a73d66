import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionOf, frames as framesOf, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk, usageChunk } from '../harness/stream-scene.ts';

const CARD = '4111111111111111';
const NUMBER = Number(CARD);

let upstream: Upstream;
/** Two replicas: nothing of an id is remembered in either. */
let gateway: TestGateway;
let replica: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const route = (ingress: string[], egress: string[]) => ({ provider: 'upstream', model: 'm-1', pipeline: { ingress, egress } });
  const config: GatewayConfig = {
    providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
    packs: { pii: {}, buffered: { type: 'pii', stream: 'buffer' }, watch: { type: 'pii', mode: 'observe' } },
    routes: {
      default: route(['pii'], ['pii']),
      buffered: route(['pii'], ['buffered']),
      bare: route([], []),
      watched: route(['watch'], ['watch']),
    },
  };
  [gateway, replica] = await Promise.all([TestGateway.start({ here: true, config }), TestGateway.start({ here: true, config })]);
});
afterAll(async () => {
  await Promise.all([gateway.dispose(), replica.dispose()]);
  await upstream.close();
});

const sent = (): string => upstream.requests.at(-1)?.text ?? '';
const says = (answer: object): void => upstream.respond(raw(200, JSON_HEADERS, JSON.stringify(answer)));
const call = (id: string, more: object = {}) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' }, ...more });
const turn = (...parts: object[]): object => ({ messages: [{ role: 'user', content: parts }] });
const calling = (more: object): object => ({
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, ...more },
  ],
});

/** Each with the card in a place that no text is meant for. */
const REQUESTS: Readonly<Record<string, object>> = {
  'tool_calls.id': calling({ tool_calls: [call(CARD)] }),
  'tool_calls.type': calling({ tool_calls: [call('c', { type: CARD })] }),
  'arguments as an object': calling({ tool_calls: [call('c', { function: { name: 'f', arguments: { n: NUMBER } } })] }),
  'arguments with an exponent': calling({
    tool_calls: [call('c', { function: { name: 'f', arguments: '[4.111111111111111e15]' } })],
  }),
  tool_call_id: { messages: [{ role: 'tool', tool_call_id: CARD, content: 'x' }] },
  'audio.id': calling({ audio: { id: CARD } }),
  'message.name': { messages: [{ role: 'user', name: CARD, content: 'x' }] },
  'content.type': turn({ type: CARD }),
  'content number': turn({ type: 'text', text: NUMBER }),
  'image_url.detail': turn({ type: 'image_url', image_url: { url: 'https://x.org/i.png', detail: CARD } }),
  'input_audio.format': turn({ type: 'input_audio', input_audio: { data: 'QUJD', format: CARD } }),
  file_id: turn({ type: 'file', file: { file_id: CARD } }),
  service_tier: { service_tier: CARD },
  reasoning_effort: { reasoning_effort: CARD },
  verbosity: { verbosity: CARD },
  tool_choice: { tool_choice: CARD },
  'tool_choice.type': { tool_choice: { type: CARD } },
  'tool_choice.function.name': { tool_choice: { type: 'function', function: { name: CARD } } },
  function_call: { function_call: CARD },
  modalities: { modalities: [CARD] },
  'audio.voice': { audio: { voice: CARD, format: 'wav' } },
  'audio.format': { audio: { voice: 'alloy', format: CARD } },
  'prediction.type': { prediction: { type: CARD } },
  prompt_cache_retention: { prompt_cache_retention: CARD },
  prompt_cache_key: { prompt_cache_key: CARD },
  search_context_size: { web_search_options: { search_context_size: CARD } },
  'response_format.type': { response_format: { type: CARD } },
  'response_format name': { response_format: { type: 'json_schema', json_schema: { name: CARD } } },
  'response_format const': { response_format: { type: 'json_schema', json_schema: { schema: { const: NUMBER } } } },
  'tools.type': { tools: [{ type: CARD }] },
  'tools enum': { tools: [{ type: 'function', function: { name: 'f', parameters: { enum: [NUMBER] } } }] },
  'tools grammar': { tools: [{ type: 'custom', custom: { name: 'f', format: { type: CARD, grammar: { syntax: CARD } } } }] },
  stop: { stop: [CARD] },
  user: { user: CARD },
  seed: { seed: NUMBER },
  temperature: { temperature: NUMBER },
  max_tokens: { max_tokens: NUMBER },
  logit_bias: { logit_bias: { [CARD]: NUMBER } },
  metadata: { metadata: { id: CARD, n: NUMBER, [CARD]: [NUMBER] } },
  'stream_options.x': { stream: true, stream_options: { x: CARD, y: NUMBER } },
  'a field of tomorrow': { tomorrow: { [CARD]: [NUMBER, CARD] } },
};

describe('a card number in a request does not reach the model', () => {
  it.each(Object.entries(REQUESTS))('in %s', async (_place, fields) => {
    const before = upstream.requests.length;
    const { status, text } = await gateway.post('/v1/chat/completions', {
      model: 'default',
      messages: [{ role: 'user', content: 'hi' }],
      ...fields,
    } as JsonObject);
    expect([status, upstream.requests.length - before]).toEqual([200, 1]);
    expect(sent()).not.toMatch(/4111|4\.111/);
    expect(text).not.toContain(CARD);
  });
});

const HEAD = { id: CARD, object: 'chat.completion', created: NUMBER, model: CARD };
const ANSWER_FIELDS = { service_tier: CARD, system_fingerprint: CARD };
const MESSAGE = {
  tool_calls: [call(CARD), call('call_2', { type: CARD })],
  function_call: { name: CARD, arguments: '{}' },
  annotations: [{ type: CARD, url_citation: { url: 'https://x.org', start_index: NUMBER } }],
  audio: { id: CARD, expires_at: NUMBER, transcript: 'x' },
};
const LOGPROBS = { content: [{ token: CARD, logprob: -0.1 }] };
const [ended] = completionOf({}).choices;
/** What a model thought, in the words of each vendor, and a field that nobody knows. */
const THINKING = {
  reasoning: CARD,
  reasoning_details: [CARD, { type: 'reasoning.text', text: CARD, signature: CARD }],
  thinking_blocks: [{ type: 'thinking', thinking: CARD, signature: CARD.replaceAll(' ', '') }],
  x_note: CARD,
};
const WHOLE = {
  ...HEAD,
  ...ANSWER_FIELDS,
  x_note: CARD,
  choices: [
    {
      ...ended,
      finish_reason: CARD,
      logprobs: LOGPROBS,
      message: { role: 'assistant', content: 'hello', ...MESSAGE, ...THINKING },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, x_cost: NUMBER },
};
const { tool_calls, ...message } = MESSAGE;
const CHUNKS = [
  {
    ...chunk({ role: CARD, content: 'hello' }, { logprobs: LOGPROBS } as JsonObject),
    ...HEAD,
    object: 'chat.completion.chunk',
    ...ANSWER_FIELDS,
  },
  {
    ...chunk({
      tool_calls: tool_calls.map((each, index) => ({ index, ...each })),
      ...message,
      ...THINKING,
    } as JsonObject),
    x_note: CARD,
  },
  chunk({}, { finish_reason: CARD }),
  { ...usageChunk(1, 2), usage: WHOLE.usage },
];
const LEFT_OUT = ['choices.logprobs'];

/** Without ids, hashes and times of the gateway, which may hold any four digits by chance. */
function withoutReceipts(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha256:[0-9a-f]{64}|"created":\d+/g, '');
}

describe('a card number in an answer does not reach the caller', () => {
  const left = async (run_id: string | null): Promise<unknown> => {
    const events: { event_type: string; data: JsonObject }[] = (await gateway.get(`/v1/runs/${run_id}`)).body.events;
    return events.find(({ event_type }) => event_type === 'provider_call')?.data.left_out;
  };

  it('that is sent whole; left-out fields are named to the caller and in the event', async () => {
    says(WHOLE);
    const { text, body, headers } = await gateway.chat('hi');
    expect(withoutReceipts(text)).not.toContain('4111');
    expect(body).toMatchObject({ id: `chatcmpl-${headers.get('x-svc-run-id')}`, model: 'default', svc_left_out: LEFT_OUT });
    expect(headers.get('x-svc-left-out')).toBe(LEFT_OUT.join(', '));
    expect(await left(headers.get('x-svc-run-id'))).toEqual(LEFT_OUT);
  });

  it.each([
    ['as it comes', 'default'],
    ['buffered', 'buffered'],
  ])('that is streamed, %s', async (_how, model) => {
    if (model === 'default') upstream.respond(framesOf(CHUNKS));
    else says(WHOLE);
    const read = await readStream(gateway, 'hi', { model, stream_options: { include_usage: true } });
    expect(withoutReceipts(read.raw)).not.toContain('4111');
    expect(new Set(read.frames.map(({ id }) => id))).toEqual(new Set([`chatcmpl-${read.run_id}`]));
    expect(read.frames.map(({ svc_left_out }) => svc_left_out).filter((names) => names !== undefined)).toEqual([LEFT_OUT]);
    expect(read.frames.at(-1)).toHaveProperty('svc_left_out');
    expect(await left(read.run_id)).toEqual(LEFT_OUT);
  });
});

it.each([false, true])('a card number as a token count is neither in evidence nor in metrics (streamed: %s)', async (stream) => {
  const usage = { prompt_tokens: NUMBER, completion_tokens: NUMBER, total_tokens: 2 * NUMBER };
  if (stream) upstream.respond(framesOf([...CHUNKS.slice(0, -1), { ...usageChunk(1, 2), usage }]));
  else says({ ...WHOLE, usage });
  const { run_id, raw: told } = await readOrAsk(stream);
  expect(told).not.toContain(CARD);
  const events = await gateway.get(`/v1/runs/${run_id}`);
  expect(events.body.events).toContainEqual(
    expect.objectContaining({
      data: expect.objectContaining({ usage: expect.objectContaining({ estimated: true }) }),
      event_type: 'provider_call',
    }),
  );
  expect(events.text + (await gateway.get('/metrics')).text).not.toMatch(/4111111111/);
});

async function readOrAsk(stream: boolean): Promise<{ run_id: string | null; raw: string }> {
  if (stream) return readStream(gateway, 'hi', { stream_options: { include_usage: true } });
  const { text, headers } = await gateway.chat('hi');
  return { run_id: headers.get('x-svc-run-id'), raw: text };
}

it.each(['bare', 'watched'])(
  "the upstream's id is replaced even if no guard enforces (%s), and nothing is left out",
  async (model) => {
    says(WHOLE);
    const { body, headers } = await gateway.chat('hi', { model });
    expect(body).toMatchObject({ id: `chatcmpl-${headers.get('x-svc-run-id')}`, x_note: CARD, service_tier: CARD });
    expect(body).not.toHaveProperty('svc_left_out');
    expect(headers.has('x-svc-left-out')).toBe(false);
  },
);

describe('an agent works for several rounds, even with another replica', () => {
  const idsOf = (messages: readonly JsonObject[]): unknown[] =>
    messages.flatMap(({ tool_calls: calls, tool_call_id }) =>
      tool_call_id === undefined ? ((calls ?? []) as JsonObject[]).map(({ id }) => id) : [tool_call_id],
    );

  it.each(['call_abc', CARD])('with tool calls of the id %s', async (id) => {
    const messages: JsonObject[] = [{ role: 'user', content: 'go' }];
    for (const server of [gateway, replica, gateway]) {
      says({
        ...WHOLE,
        choices: [
          { ...ended, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call(id)] } },
        ],
      });
      const { body } = await server.post('/v1/chat/completions', { model: 'default', messages });
      // What this turn's model was sent: what the client has, so that the conversation stays the same from round to round.
      expect(idsOf(JSON.parse(sent()).messages)).toEqual(idsOf(messages));
      const answered = Object(body).choices[0].message;
      const [asked] = answered.tool_calls;
      expect(asked.id === id).toBe(id !== CARD);
      messages.push(answered, { role: 'tool', tool_call_id: asked.id, content: 'done' });
    }
    expect(new Set(idsOf(messages)).size).toBe(id === CARD ? 3 : 1);
  });

  it('whose own ids are masked gets matching calls and results', async () => {
    const messages = [
      { role: 'assistant', content: null, tool_calls: [call(CARD), call('call_2')] },
      { role: 'tool', tool_call_id: 'call_2', content: 'two' },
      { role: 'tool', tool_call_id: CARD, content: 'one' },
    ];
    await gateway.post('/v1/chat/completions', { model: 'default', messages } as JsonObject);
    const [first, ...rest] = idsOf(JSON.parse(sent()).messages);
    expect(first).toMatch(/^[a-z0-9]{9}$/);
    expect(rest).toEqual(['call_2', 'call_2', first]);
  });
});
