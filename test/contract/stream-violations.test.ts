import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames as framesOf } from '../fixtures/upstream.ts';
import { decideOnNext } from '../harness/decide.ts';
import { choicesOf, readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, masker, ofType, routeTo, StreamScene, usageChunk, WORD } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  const faulty = (fault: string, stream: string): JsonObject => masker({ fault, stream, word: 'x' });
  scene = await StreamScene.start({
    packs: {
      breaksInPush: faulty('push', 'window'),
      breaksInFinish: faulty('finish', 'window'),
      breaksAfter: faulty('finish', 'post'),
    },
    routes: {
      ...Object.fromEntries(['breaksInPush', 'breaksInFinish', 'breaksAfter'].map((name) => [name, routeTo('upstream', [name])])),
      both: routeTo('upstream', ['window', 'post']),
      stopThenPost: routeTo('upstream', ['stop', 'post']),
      waiting: routeTo('upstream', [], { approval_wait_ms: 60_000 }),
    },
  });
});
afterAll(() => scene.close());

const stop = (index = 0) => chunk({}, { index, finish_reason: 'stop' });

async function through(model: string, list: readonly unknown[], more: JsonObject = {}) {
  scene.upstream.respond(framesOf(list));
  return readStream(scene.gateway, 'hello', { model, ...more });
}

/** What must hold of the run behind any stopped stream. */
async function expectBlocked(run_id: string, node: string, mode: string, code = 'word'): Promise<void> {
  expect(await scene.status(run_id)).toBe('blocked');
  const [evidence] = await scene.evidence(run_id);
  const events = await scene.events(run_id);
  expect(evidence).toMatchObject({ status: 'blocked', events });
  const verdict = ofType(events, 'verdict').find((event) => event.node === node && event.stage === 'egress');
  expect(verdict?.data).toMatchObject({ verdict: 'block', code, mode });
}

describe('stream_violation', () => {
  it('ends the stream at once, with content_filter and receipts, and closes the upstream', async () => {
    const { live, reading, disconnected } = await scene.begin('stop', ['this is well ', `to ${WORD.slice(0, 5)}`]);
    const reader = await reading;
    await live.send(chunk({ content: `${WORD.slice(5)} and more` }));
    await disconnected;
    const frames = await reader.rest();
    const [evidence] = await scene.evidence(reader.run_id);
    expect(reader.done).toBe(true);
    expect(frames.at(-1)).toMatchObject({
      object: 'chat.completion.chunk',
      svc_event: 'stream_violation',
      svc_run_id: reader.run_id,
      svc_evidence: `${evidence?.seq} ${evidence?.hash}`,
      choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
    });
    expect(frames.filter((frame) => 'svc_event' in frame)).toHaveLength(1);
    // Not one character of the match, nor what came after it.
    expect('this is well to '.startsWith(textOf(frames.slice(0, -1)))).toBe(true);
    expect(reader.raw).not.toMatch(/ACC|WXYZ|and more/);
    await expectBlocked(reader.run_id, 'stop', 'window');
  });

  it.each(Array.from({ length: WORD.length - 1 }, (_, at) => at + 1))(
    'sends no part of a match that is cut at %i',
    async (at) => {
      const { raw, frames, run_id } = await through('stop', [
        chunk({ content: 'z' }),
        chunk({ content: WORD.slice(0, at) }),
        chunk({ content: WORD.slice(at) }),
        stop(),
      ]);
      expect(raw).not.toMatch(/AC|WXYZ|YZ/);
      expect('z'.startsWith(textOf(frames.slice(0, -1)))).toBe(true);
      expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation' });
      await expectBlocked(run_id, 'stop', 'window');
    },
  );

  it('in one choice ends all that have begun', async () => {
    const { frames, raw } = await through(
      'stop',
      [
        chunk({ content: 'the first one is long' }),
        chunk({ content: 'the second one is long' }, { index: 1 }),
        chunk({}, { index: 1, finish_reason: 'stop' }),
        chunk({ content: WORD }),
        chunk({ content: 'the third' }, { index: 2 }),
      ],
      { n: 3 },
    );
    expect(frames.at(-1)?.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, 'content_filter'],
      [1, 'content_filter'],
    ]);
    expect(choicesOf(frames, 1).filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1);
    expect(raw).not.toMatch(/ACC|third/);
  });

  it('in the first text is a single frame', async () => {
    const { frames, raw, run_id } = await through('stop', [chunk({ role: 'assistant', content: WORD }), stop()]);
    expect(frames).toMatchObject([
      { svc_event: 'stream_violation', svc_run_id: run_id, choices: [{ index: 0, finish_reason: 'content_filter' }] },
    ]);
    expect(raw).not.toContain('ACC');
    expect(frames[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: expect.stringContaining(run_id) });
    await expectBlocked(run_id, 'stop', 'window');
  });

  it('before any text gives the reason instead, even after a frame with the role', async () => {
    const list = [chunk({ role: 'assistant', content: '' }), chunk({ content: WORD }), stop()];
    const { frames, run_id } = await through('stop', list);
    expect(textOf(frames)).toContain(run_id);
    expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation', choices: [{ finish_reason: 'content_filter' }] });
  });

  it('after text gives the reason in a separate paragraph', async () => {
    const { frames } = await through('stop', [chunk({ content: 'some words ahead of it ' }), chunk({ content: WORD }), stop()]);
    expect('some words ahead of it '.startsWith(textOf(frames.slice(0, -1)))).toBe(true);
    expect(frames.at(-1)?.choices[0]?.delta).toEqual({ content: expect.stringMatching(/^\n\n.*"stop" \(word\)/) });
  });

  it('is billed: usage is counted in the event, and reported if requested', async () => {
    const list = [chunk({ content: 'some words ahead of it ' }), chunk({ content: WORD }), stop(), usageChunk(7, 9)];
    const { frames, run_id } = await through('stop', list, { stream_options: { include_usage: true } });
    const [call] = ofType(await scene.events(run_id), 'provider_call');
    const usage = call?.data.usage as JsonObject;
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(frames.at(-1)?.usage).toMatchObject({ prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens });
  });

  it.each([
    ['breaksInPush', 'window', 'threw'],
    ['breaksInFinish', 'window', 'threw'],
    ['breaksAfter', 'post', 'threw'],
  ])('a guard that fails (%s) closes the stream', async (model, mode, failure) => {
    const { frames, done, run_id } = await through(model, [chunk({ content: 'hello there' }), stop()]);
    expect(done).toBe(true);
    expect(frames.at(-1)).toMatchObject({
      svc_event: expect.stringMatching(/^(stream|late)_violation$/),
      choices: [{ finish_reason: 'content_filter' }],
    });
    await expectBlocked(run_id, model, mode, 'SVC-NODE-001');
    const verdict = ofType(await scene.events(run_id), 'verdict').find(({ node }) => node === model);
    expect(verdict?.data).toMatchObject({ failure });
    if (model === 'breaksInPush') expect(textOf(frames.slice(0, -1))).toBe('');
  });
});

describe('late_violation', () => {
  it('is reported at the end of a stream that was sent', async () => {
    const { frames, done, run_id } = await through('post', [chunk({ content: 'to ' }), chunk({ content: WORD }), stop()]);
    expect(done).toBe(true);
    expect(textOf(frames.slice(0, -1))).toBe(`to ${WORD}`);
    expect(textOf(frames.slice(-1))).toContain('"post" (word)');
    const [evidence] = await scene.evidence(run_id);
    expect(frames.at(-1)).toMatchObject({
      svc_event: 'late_violation',
      svc_run_id: run_id,
      svc_evidence: `${evidence?.seq} ${evidence?.hash}`,
      choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
    });
    await expectBlocked(run_id, 'post', 'post');
  });

  it('does not see what an earlier node masked', async () => {
    const { frames, run_id } = await through('both', [chunk({ content: WORD }), stop()]);
    expect(textOf(frames)).toBe('***');
    expect(frames.at(-1)).not.toHaveProperty('svc_event');
    expect(await scene.status(run_id)).toBe('completed');
  });

  it('every node is recorded, including those after the one that stopped the stream', async () => {
    const { run_id } = await through('stopThenPost', [chunk({ content: `a long text and ${WORD}` }), stop()]);
    const verdicts = ofType(await scene.events(run_id), 'verdict').filter(({ stage }) => stage === 'egress');
    expect(verdicts.map(({ node, data }) => [node, data.verdict])).toEqual([
      ['stop', 'block'],
      ['post', 'allow'],
    ]);
  });
});

describe('a stream that ingress stops', () => {
  it.each([
    ['blocked', 'this is forbidden'],
    ['paused', 'a wire transfer'],
  ])('is a single frame: %s', async (svc_event, content) => {
    const asked = scene.upstream.requests.length;
    const { frames, done, run_id } = await readStream(scene.gateway, content, { model: 'window' });
    expect(done).toBe(true);
    expect(frames).toMatchObject([{ svc_event, svc_run_id: run_id, choices: [{ finish_reason: 'content_filter' }] }]);
    expect(await scene.status(run_id)).toBe(svc_event);
    expect(scene.upstream.requests).toHaveLength(asked);
  });

  it('is a single frame: denied, after the caller has waited', async () => {
    const stream = readStream(scene.gateway, 'a wire transfer', { model: 'waiting' });
    const run_id = await decideOnNext(scene.gateway, 'waiting', 'denied');
    expect((await stream).frames).toMatchObject([
      {
        svc_event: 'denied',
        svc_run_id: run_id,
        svc_evidence: expect.any(String),
        choices: [{ finish_reason: 'content_filter' }],
      },
    ]);
  });

  it('continues as chunks if it is approved', async () => {
    const stream = readStream(scene.gateway, 'a wire transfer', { model: 'waiting' });
    const run_id = await decideOnNext(scene.gateway, 'waiting', 'approved');
    const { frames, done } = await stream;
    expect(done).toBe(true);
    expect(textOf(frames)).toBe('upstream: a wire transfer');
    expect(frames.at(-1)).toMatchObject({ svc_run_id: run_id, choices: [{ finish_reason: 'stop' }] });
  });
});
