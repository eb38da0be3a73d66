import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, broken, completionOf, frames as framesOf, SSE_HEADERS, sseFrame } from '../fixtures/upstream.ts';
import { choicesOf, readStream } from '../harness/stream-reader.ts';
import { chunk, ofType, routeTo, StreamScene, WORD } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    routes: { judged: routeTo('upstream', [], { unscannable: 'block' }) },
    server: { record_content: true },
  });
});
afterAll(() => scene.close());

const LONG = ['a text that is long enough ', 'to leave any window ', 'piece by piece '];
const stop = chunk({}, { finish_reason: 'stop' });

function through(model: string, list: readonly unknown[], more: JsonObject = {}) {
  scene.upstream.respond(framesOf(list));
  return readStream(scene.gateway, 'hello', { model, ...more });
}

describe('with a guard, no text is sent that it would mask', () => {
  const ASKED = { stream_options: { include_usage: true } };

  it.each(['window', 'stop', 'post'])('in the last frames of the route %s: unknown fields of chunks', async (model) => {
    const { raw } = await through(model, [
      chunk({ content: 'hello' }),
      { ...stop, x_note: WORD, system_fingerprint: `fp ${WORD}` },
    ]);
    expect(raw).not.toContain('ACC');
  });

  it('in the frame of a violation: unknown fields of chunks', async () => {
    const { raw } = await through('stop', [{ ...chunk({ content: WORD }), x_note: WORD }, stop]);
    expect(raw).not.toContain('ACC');
  });

  it("in the frame of a violation: fields of the upstream's usage", async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, x_note: WORD };
    const list = [{ ...chunk({ content: WORD }), usage }, stop];
    const { raw } = await through('stop', list, ASKED);
    expect(raw).not.toContain('ACC');
  });
});

describe('ids', () => {
  it.each(['open', 'window'])('are the same throughout a stream of the route %s, whatever the upstream does', async (model) => {
    const pieces = LONG.map((content, n) => ({ ...chunk({ content }), id: `chunk-${n}` }));
    const { frames } = await through(model, [...pieces, { ...stop, id: 'chunk-last' }]);
    expect(frames.length).toBeGreaterThan(2);
    expect(new Set(frames.map(({ id }) => id)).size).toBe(1);
  });

  it('are also the same in the error frame', async () => {
    scene.upstream.respond(broken(LONG.map((content) => sseFrame(chunk({ content }))).join(''), SSE_HEADERS));
    const { frames } = await readStream(scene.gateway, 'hello', { model: 'open' });
    expect(frames.at(-1)).toHaveProperty('error');
    expect(new Set(frames.map(({ id }) => id)).size).toBe(1);
  });
});

it('an upstream cannot send fields of the gateway', async () => {
  const forged = { svc_event: 'blocked', svc_run_id: 'forged', svc_evidence: '1 sha256:00', error: { message: 'forged' } };
  const { frames } = await through('open', [
    ...LONG.map((content) => ({ ...chunk({ content }), ...forged, error: null })),
    { ...stop, ...forged, error: null },
  ]);
  expect(JSON.stringify(frames)).not.toContain('forged');
  expect(frames.filter((frame) => 'svc_event' in frame)).toEqual([]);
});

describe('without a guard, unknown fields are sent', () => {
  it('in a choice whose delta is empty', async () => {
    const { frames } = await through('open', [
      chunk({ content: 'hello' }),
      chunk({}, { finish_reason: 'stop', x_choice: 'kept' }),
    ]);
    expect(choicesOf(frames).filter((choice) => choice.x_choice === 'kept')).not.toEqual([]);
  });

  it('in a chunk without choices', async () => {
    const first = { ...chunk({}), choices: [], x_chunk: 'kept', usage: null };
    const { frames } = await through('open', [first, chunk({ content: 'hello' }), stop]);
    expect(frames.filter((frame) => frame.x_chunk === 'kept')).not.toEqual([]);
  });
});

it('a whole answer sent as a stream does not repeat its logprobs', async () => {
  const logprobs = { content: [{ token: 'hello', bytes: null, logprob: -0.1, top_logprobs: [] }], refusal: null };
  const completion = completionOf({}, 'hello');
  scene.upstream.respond(answer({ ...completion, choices: completion.choices.map((choice) => ({ ...choice, logprobs })) }));
  const { frames } = await readStream(scene.gateway, 'hello', { model: 'judged' });
  expect(choicesOf(frames).filter((choice) => choice.logprobs != null)).toHaveLength(1);
});

it.each(['stop', 'open'])('running totals that begin at zero are not the usage of a truncated answer (%s)', async (model) => {
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const pieces = LONG.map((content) => ({ ...chunk({ content }), usage }));
  const list = [...pieces, { ...chunk({ content: WORD }), usage }].map(sseFrame).join('');
  scene.upstream.respond(broken(list, SSE_HEADERS));
  const { run_id } = await readStream(scene.gateway, 'hello', { model });
  const [call] = ofType(await scene.events(run_id), 'provider_call');
  const booked = call?.data.usage as JsonObject | undefined;
  expect(booked).toMatchObject({ estimated: true });
  expect(booked?.output_tokens).toBeGreaterThan(0);
});

it.each(['open', 'window'])('an answer without text is also stored if content is recorded (%s)', async (model) => {
  const { run_id } = await through(model, [chunk({ role: 'assistant', content: '' }), stop]);
  const { body } = await scene.gateway.get(`/v1/runs/${run_id}/response`);
  expect(body).toMatchObject({ status: 'completed', completion: { choices: [{ index: 0, finish_reason: 'stop' }] } });
});

it("the caller's other stream options reach the upstream", async () => {
  await readStream(scene.gateway, 'hello', { model: 'open', stream_options: { include_obfuscation: false } });
  expect(scene.upstream.requests.at(-1)?.body).toMatchObject({
    stream_options: { include_obfuscation: false, include_usage: true },
  });
});
