import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, completionOf, frames, JSON_HEADERS, raw } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, say } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

async function chunksOf(request: { model: string; content: string; include_usage?: boolean; n?: number }) {
  const { model, content, include_usage, n } = request;
  const { data, response } = await scene
    .client()
    .chat.completions.create({
      model,
      messages: say(content),
      stream: true,
      ...(include_usage === undefined ? {} : { stream_options: { include_usage } }),
      ...(n === undefined ? {} : { n }),
    })
    .withResponse();
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of data) chunks.push(chunk);
  return { chunks, response };
}

/** A message with more than text, streamed or whole as asked. */
const rich: Behaviour = (request, response) => {
  const message = { role: 'assistant', content: 'hello', reasoning_content: 'I greet ACC-1.', x_new: 1 };
  const logprobs = { content: [{ token: 'hello', bytes: null, logprob: -0.1, top_logprobs: [] }], refusal: null };
  const { usage, ...base } = completionOf(request.body);
  const streamed = JSON.stringify(request.body).includes('"stream":true');
  if (!streamed) {
    const choices = [{ index: 0, message, logprobs, finish_reason: 'stop' }];
    return raw(200, JSON_HEADERS, JSON.stringify({ ...base, usage, choices }))(request, response);
  }
  const chunk = { ...base, object: 'chat.completion.chunk' };
  const end = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
  return frames([{ ...chunk, choices: [{ index: 0, delta: message, logprobs, finish_reason: null }] }, end])(request, response);
};

const text = (chunks: readonly ChatCompletionChunk[], index = 0): string =>
  chunks
    .flatMap(({ choices }) => choices)
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta.content ?? '')
    .join('');

describe('a streamed chat', () => {
  it("is assembled by the client's helper, masked", async () => {
    scene.upstream.respond(answer('to ACC-1, with thanks'));
    const stream = scene.client().chat.completions.stream({ model: 'default', messages: say('hello ACC-2') });
    const whole = await stream.finalChatCompletion();
    expect(whole).toMatchObject({
      model: 'default',
      choices: [{ message: { role: 'assistant', content: 'to <ACCOUNT>, with thanks' }, finish_reason: 'stop' }],
    });
    expect(scene.asked.body).toMatchObject({ messages: [{ content: 'hello <ACCOUNT>' }] });
  });

  it('has chunks of one id and model; the role comes first, the end once, receipts last', async () => {
    const { chunks, response } = await chunksOf({ model: 'default', content: 'hello' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(new Set(chunks.map(({ object, model }) => `${object} ${model}`))).toEqual(new Set(['chat.completion.chunk default']));
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    const reasons = chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
    expect(reasons.filter((reason) => reason !== null)).toEqual(['stop']);
    expect(text(chunks)).toBe('upstream: hello');
    const run_id = response.headers.get('x-svc-run-id');
    const [evidence] = await scene.evidence(run_id);
    expect(chunks.at(-1)).toMatchObject({ svc_run_id: run_id, svc_evidence: `${evidence?.seq} ${evidence?.hash}` });
    expect(chunks.slice(0, -1).some((chunk) => 'svc_run_id' in chunk)).toBe(false);
  });

  it('of two choices keeps them apart, both masked', async () => {
    scene.upstream.respond(answer('for ACC-1'));
    const { chunks } = await chunksOf({ model: 'default', content: 'hello', n: 2 });
    expect([text(chunks, 0), text(chunks, 1)]).toEqual(['for <ACCOUNT>', 'for <ACCOUNT>']);
  });

  it('has a usage chunk where the caller asked for one', async () => {
    const { chunks, response } = await chunksOf({ model: 'default', content: 'hello', include_usage: true });
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    const [call] = ofType(await scene.events(response.headers.get('x-svc-run-id')), 'provider_call');
    expect(call?.data).toMatchObject({
      usage: { input_tokens: last?.usage?.prompt_tokens, output_tokens: last?.usage?.completion_tokens },
    });
    expect(chunks.slice(0, -1).every(({ usage }) => usage == null)).toBe(true);
  });

  it.each([undefined, false])('has none where the caller did not (include_usage %s)', async (include_usage) => {
    const { chunks } = await chunksOf({
      model: 'default',
      content: 'hello',
      ...(include_usage === undefined ? {} : { include_usage }),
    });
    expect(chunks.every(({ usage }) => usage == null)).toBe(true);
    expect(chunks.every(({ choices }) => choices.length > 0)).toBe(true);
  });

  it('has a usage chunk too where the upstream gave no usage', async () => {
    const { usage: _, ...bare } = completionOf({}, 'some words');
    scene.upstream.respond(answer(bare));
    const { chunks } = await chunksOf({ model: 'default', content: 'hello', include_usage: true });
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('carries tool calls, which the helper assembles', async () => {
    const [choice] = completionOf({}).choices;
    if (choice === undefined) throw new Error('no choice');
    const tool_calls = ['ACC-1', 'Ann'].map((to, i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name: 'pay', arguments: JSON.stringify({ to, id: 1 }) },
    }));
    const message = { role: 'assistant', content: null, tool_calls };
    scene.upstream.respond(answer({ ...completionOf({}), choices: [{ ...choice, message, finish_reason: 'tool_calls' }] }));
    const tools = [{ type: 'function' as const, function: { name: 'pay', parameters: { type: 'object' } } }];
    const stream = scene.client().chat.completions.stream({ model: 'default', messages: say('pay'), tools });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { id: 'call_0', function: { name: 'pay', arguments: '{"to":"<ACCOUNT>","id":1}' } },
          { id: 'call_1', function: { name: 'pay', arguments: '{"to":"Ann","id":1}' } },
        ],
      },
    });
  });

  it('keeps the reasoning text of a message, which guards have seen', async () => {
    scene.upstream.respond(rich);
    const { chunks } = await chunksOf({ model: 'default', content: 'hello' });
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map((delta) => ('reasoning_content' in delta ? delta.reasoning_content : '')).join('')).toBe(
      'I greet <ACCOUNT>.',
    );
    expect(JSON.stringify(chunks)).not.toContain('ACC-');
  });

  it('keeps unknown fields and logprobs on a route without egress guards', async () => {
    scene.upstream.respond(rich);
    const { chunks } = await chunksOf({ model: 'bare', content: 'hello' });
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.some(({ delta }) => 'x_new' in delta)).toBe(true);
    expect(choices.some(({ logprobs }) => logprobs?.content?.[0]?.token === 'hello')).toBe(true);
  });

  it.each([
    ['blocked', 'the forbidden thing'],
    ['paused', 'a wire transfer'],
  ])('that ingress %s is one chunk, which the client reads to its end', async (svc_event, content) => {
    const before = scene.upstream.requests.length;
    const { chunks } = await chunksOf({ model: 'default', content, include_usage: true });
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({
      svc_event,
      svc_run_id: expect.any(String),
      choices: [{ index: 0, finish_reason: 'content_filter', delta: { role: 'assistant', content: expect.any(String) } }],
    });
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('and the same chat whole give the same text', async () => {
    const { chunks } = await chunksOf({ model: 'default', content: 'a  b\n\nc ACC-1 \u{1F600}' });
    const whole = await scene.client().chat.completions.create({ model: 'default', messages: say('a  b\n\nc ACC-1 \u{1F600}') });
    expect(text(chunks)).toBe(whole.choices[0]?.message.content);
  });
});
