import OpenAI from 'openai';
import type { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  broken,
  completionOf,
  failure,
  frames as framesOf,
  liveStream,
  SSE_HEADERS,
  sseFrame,
} from '../fixtures/upstream.ts';
import { chunk, StreamScene, usageChunk, WORD } from '../harness/stream-scene.ts';
import { say } from './openai-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start();
});
afterAll(() => scene.close());

const client = () => new OpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice'), maxRetries: 0 });
/** The next text that a stream emits. */
function nextText(stream: ChatCompletionStream): Promise<string> {
  return new Promise((resolve) => stream.once('content', (delta) => resolve(delta)));
}

const ROUTES = ['open', 'window', 'stop', 'post', 'whole'];
const stop = chunk({}, { finish_reason: 'stop' });

describe.each(ROUTES)('the official client on the route %s', (model) => {
  it('reads a stream of two choices to its end, usage last', async () => {
    const stream = client().chat.completions.stream({
      model,
      messages: say('hello there'),
      n: 2,
      stream_options: { include_usage: true },
    });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices.map(({ message, finish_reason }) => [message.role, message.content, finish_reason])).toEqual(
      Array.from({ length: 2 }, () => ['assistant', 'upstream: hello there', 'stop']),
    );
    expect(whole.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 6, total_tokens: 8 });
  });

  it('assembles tool calls', async () => {
    const tool_calls = ['Ann', 'Bob'].map((to, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name: 'pay', arguments: `{"to":"${to}","amount":${index}}` },
    }));
    const [choice] = completionOf({}).choices;
    const message = { role: 'assistant', content: null, tool_calls };
    scene.upstream.respond(
      answer({ ...completionOf({}), choices: [{ ...choice, index: 0, message, finish_reason: 'tool_calls' }] }),
    );
    const tools = [{ type: 'function' as const, function: { name: 'pay', parameters: { type: 'object' } } }];
    const stream = client().chat.completions.stream({ model, messages: say('pay'), tools });
    const done: unknown[] = [];
    stream.on('tool_calls.function.arguments.done', ({ name, index, arguments: written }) => done.push([name, index, written]));
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.tool_calls).toMatchObject(tool_calls);
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(done).toEqual([
      ['pay', 0, '{"to":"Ann","amount":0}'],
      ['pay', 1, '{"to":"Bob","amount":1}'],
    ]);
  });

  it('raises an HTTP error if the upstream fails at once', async () => {
    scene.upstream.respond(failure(429, { 'retry-after': '1' }));
    const call = client().chat.completions.create({ model, messages: say('hello'), stream: true });
    await expect(call).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});

describe.each(ROUTES.filter((name) => name !== 'whole'))('on the live route %s', (model) => {
  it('received text is available before the upstream continues, and abort ends the upstream call', async () => {
    const live = liveStream();
    scene.upstream.respond(live.behaviour);
    const asked = scene.upstream.received(scene.upstream.requests.length + 1);
    const stream = client().chat.completions.stream({ model, messages: say('hello') });
    const text = nextText(stream);
    await live.send(chunk({ role: 'assistant', content: 'a text that is long enough to leave' }));
    expect('a text that is long enough to leave'.startsWith(await text)).toBe(true);
    const { disconnected } = await asked;
    stream.abort();
    await expect(stream.done()).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await disconnected;
  });

  it('an error in mid-stream is raised', async () => {
    scene.upstream.respond(broken([chunk({ content: 'words that are long enough ' })].map(sseFrame).join(''), SSE_HEADERS));
    const stream = await client().chat.completions.create({ model, messages: say('hello'), stream: true });
    const chunks: ChatCompletionChunk[] = [];
    const reading = async (): Promise<void> => {
      for await (const one of stream) chunks.push(one);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'SVC-PROV-001', type: 'api_error' });
    expect(chunks.length).toBeGreaterThan(0);
  });
});

describe.each([
  ['stop', 'stream_violation'],
  ['post', 'late_violation'],
])('a violation on the route %s', (model, svc_event) => {
  it('is a finish reason, which the helper returns with the sent text', async () => {
    scene.upstream.respond(
      framesOf([chunk({ content: 'this may be said, ' }), chunk({ content: WORD }), stop, usageChunk(1, 2)]),
    );
    const stream = client().chat.completions.stream({ model, messages: say('hello') });
    const seen: ChatCompletionChunk[] = [];
    stream.on('chunk', (one) => seen.push(one));
    const whole = await stream.finalChatCompletion();
    expect(whole.choices[0]?.finish_reason).toBe('content_filter');
    expect(whole.choices[0]?.message.content?.startsWith('this may')).toBe(true);
    expect(seen.at(-1)).toMatchObject({ svc_event, svc_run_id: expect.any(String) });
  });
});
