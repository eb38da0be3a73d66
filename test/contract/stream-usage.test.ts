import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames as framesOf } from '../fixtures/upstream.ts';
import { readStream, StreamReader } from '../harness/stream-reader.ts';
import { chunk, ofType, routeTo, StreamScene, usageChunk } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({ routes: { echo: routeTo('local', []) } });
});
afterAll(() => scene.close());

const TEXT = [
  chunk({ role: 'assistant', content: 'some words' }),
  chunk({ content: ' and more' }),
  chunk({}, { finish_reason: 'stop' }),
];
const ASKED = { stream_options: { include_usage: true } };

async function usageOf(run_id: string): Promise<JsonObject> {
  const calls = ofType(await scene.events(run_id), 'provider_call');
  expect(calls).toHaveLength(1);
  return calls[0]?.data.usage as JsonObject;
}

describe.each(['open', 'window', 'whole', 'echo'])('the route %s', (model) => {
  const stream = (more: JsonObject, list: readonly unknown[] = [...TEXT, usageChunk(7, 9)]) => {
    if (model !== 'echo' && model !== 'whole') scene.upstream.respond(framesOf(list));
    return readStream(scene.gateway, 'hello there', { model, ...more });
  };

  it('reports usage in a separate last chunk if the caller requests it, the same as in the evidence', async () => {
    const { frames, run_id } = await stream(ASKED);
    const { input_tokens, output_tokens, estimated } = await usageOf(run_id);
    const last = frames.at(-1);
    expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens } });
    expect(last?.usage?.total_tokens).toBe(Number(input_tokens) + Number(output_tokens));
    expect(estimated).toBe(false);
    for (const frame of frames.slice(0, -1)) expect(frame.usage ?? null).toBeNull();
  });

  it.each([{}, { stream_options: { include_usage: false } }])('does not report it otherwise (%j)', async (options) => {
    const { frames, run_id } = await stream(options);
    expect(frames.some((frame) => 'usage' in frame || frame.choices.length === 0)).toBe(false);
    expect((await usageOf(run_id)).output_tokens).toBeGreaterThan(0);
  });
});

it("counts with the server's tokenizer, not by length, if an upstream reports no usage", async () => {
  scene.upstream.respond(framesOf([chunk({ role: 'assistant', content: 'hello world' }), chunk({}, { finish_reason: 'stop' })]));
  const { run_id } = await readStream(scene.gateway, 'hello there', { model: 'open' });
  expect(await usageOf(run_id)).toMatchObject({ output_tokens: 2, estimated: true });
});

describe.each(['open', 'window', 'stop', 'post'])('if the upstream of the route %s reports no usage', (model) => {
  it.each([
    ['an answer', TEXT],
    [
      'a tool call',
      [
        chunk({
          tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: { name: 'pay', arguments: '{"to":"Ann"}' } }],
        }),
        chunk({}, { finish_reason: 'tool_calls' }),
      ],
    ],
    ['reasoning alone', [chunk({ reasoning_content: 'a thought' }), chunk({}, { finish_reason: 'stop' })]],
    ['a refusal', [chunk({ refusal: 'I will not' }), chunk({}, { finish_reason: 'stop' })]],
  ])('the usage of %s is counted, and never zero', async (_what, list) => {
    scene.upstream.respond(framesOf(list));
    const { frames, run_id } = await readStream(scene.gateway, 'hello there', { model, ...ASKED });
    const usage = await usageOf(run_id);
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(frames.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens },
    });
  });
});

it('a long answer without usage is counted by its length', async () => {
  const word = 'word ';
  scene.upstream.respond(
    framesOf([...Array.from({ length: 20 }, () => chunk({ content: word.repeat(1000) })), chunk({}, { finish_reason: 'stop' })]),
  );
  const { run_id } = await readStream(scene.gateway, 'hello', { model: 'open' });
  const { output_tokens } = await usageOf(run_id);
  expect(output_tokens).toBeGreaterThan(18_000);
  expect(output_tokens).toBeLessThan(22_000);
});

it('running totals in every chunk are not added up', async () => {
  const total = (completion_tokens: number) => ({
    usage: { prompt_tokens: 4, completion_tokens, total_tokens: 4 + completion_tokens },
  });
  const list = TEXT.map((one, at) => ({ ...one, ...total(at + 1) }));
  scene.upstream.respond(framesOf(list));
  const { frames, run_id } = await readStream(scene.gateway, 'hello', { model: 'open', ...ASKED });
  expect(await usageOf(run_id)).toEqual({ input_tokens: 4, output_tokens: 3, cached_input_tokens: 0, estimated: false });
  expect(frames.filter(({ usage }) => usage != null)).toHaveLength(1);
});

it('the upstream is always asked for usage of a stream', async () => {
  await (await StreamReader.ask(scene.gateway, 'hello', { model: 'open' })).rest();
  expect(scene.upstream.requests.at(-1)?.body).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
    model: 'm-1',
  });
});
