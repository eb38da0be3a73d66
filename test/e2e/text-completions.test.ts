import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, failure } from '../fixtures/upstream.ts';
import { OpenAiScene } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

const create = (body: object) =>
  scene
    .client()
    .completions.create({ model: 'default', prompt: 'hello there', ...body } as OpenAI.CompletionCreateParamsNonStreaming);

async function streamed(body: object = {}): Promise<OpenAI.Completion[]> {
  const asked = { model: 'default', prompt: 'hello there', stream: true as const, ...body };
  const chunks: OpenAI.Completion[] = [];
  for await (const chunk of await scene.client().completions.create(asked)) chunks.push(chunk);
  return chunks;
}

describe('the official client, with completions of a text', () => {
  it('gets an answer in their shape; its guards see the prompt', async () => {
    const { data, response } = await scene
      .client()
      .completions.create({ model: 'default', prompt: 'Pay ACC-12345.', max_tokens: 9, temperature: 0.5, stop: ['.'] })
      .withResponse();
    expect(data).toMatchObject({
      object: 'text_completion',
      model: 'default',
      choices: [{ index: 0, text: 'upstream: Pay <ACCOUNT>.', logprobs: null, finish_reason: 'stop' }],
      usage: { total_tokens: 5 },
    });
    expect(data.id).toMatch(/^cmpl-/);
    expect(scene.asked).toMatchObject({
      path: '/v1/chat/completions',
      body: { messages: [{ role: 'user', content: 'Pay <ACCOUNT>.' }], max_tokens: 9, temperature: 0.5, stop: ['.'] },
    });
    expect(scene.asked.body).not.toHaveProperty('prompt');
    const [evidence] = await scene.evidence(response.headers.get('x-svc-run-id'));
    expect(response.headers.get('x-svc-evidence')).toBe(`${evidence?.seq} ${evidence?.hash}`);
  });

  it('gets a stream of the same text, with usage if requested', async () => {
    const chunks = await streamed({ stream_options: { include_usage: true } });
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['text_completion']));
    expect(chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join('')).toBe('upstream: hello there');
    expect(chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))).toEqual(['stop']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
    expect((await streamed()).every(({ usage }) => usage == null)).toBe(true);
  });

  it.each([false, true])('reads the reason for a stop as text (streamed: %s)', async (stream) => {
    const chunks = stream ? await streamed({ prompt: 'forbidden' }) : [await create({ prompt: 'forbidden' })];
    const last = chunks.at(-1);
    expect(last).toMatchObject({ choices: [{ finish_reason: 'content_filter' }], svc_event: 'blocked' });
    expect(last?.choices[0]?.text).toContain('policy');
  });

  it('accepts a list of one text, and several answers', async () => {
    scene.upstream.respond(answer('fine'));
    expect((await create({ prompt: ['only'], n: 1, best_of: 1, echo: false })).choices).toHaveLength(1);
    expect(scene.asked.body).toMatchObject({ messages: [{ role: 'user', content: 'only' }] });
  });

  it('gets the names of left-out parts', async () => {
    const { response } = await scene
      .client()
      .completions.create({ model: 'default', prompt: 'hello', echo: true, logprobs: 3, best_of: 4 })
      .withResponse();
    expect(response.headers.get('x-svc-unsupported')?.split(/, ?/).sort()).toEqual(['best_of', 'echo', 'logprobs']);
    for (const name of ['echo', 'logprobs', 'best_of']) expect(scene.asked.body).not.toHaveProperty(name);
  });

  it.each([
    ['several prompts', { prompt: ['one', 'two'] }, 'prompt'],
    ['none', { prompt: [] }, 'prompt'],
    ['tokens', { prompt: [1, 2, 3] }, 'prompt'],
    ['lists of tokens', { prompt: [[1, 2], [3]] }, 'prompt'],
    ['no prompt', { prompt: undefined }, 'prompt'],
    ['a text after it', { suffix: 'the end' }, 'suffix'],
    ['a length that is none', { max_tokens: 0 }, 'max_tokens'],
  ])('is refused with %s, before any model call', async (_, body, param) => {
    const before = scene.upstream.requests.length;
    await expect(create(body)).rejects.toMatchObject({ status: 400, code: 'SVC-REQ-001' });
    await expect(create(body)).rejects.toThrow(param);
    expect(scene.upstream.requests).toHaveLength(before);
  });

  it('gets the same errors as in chats, even in a stream', async () => {
    scene.upstream.respond(failure(500), failure(500));
    await expect(create({})).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(create({ model: 'of-nobody' })).rejects.toMatchObject({ status: 404, code: 'SVC-ROUTE-001' });
  });
});
