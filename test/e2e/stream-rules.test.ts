import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames as framesOf } from '../fixtures/upstream.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, ofType, routeTo, StreamScene } from '../harness/stream-scene.ts';

const rules = (options: JsonObject, ...list: JsonObject[]): JsonObject => ({ type: 'rules', rules: list, ...options });
const ACCOUNT = { name: 'account', match: 'ACC-\\d{1,6}', verdict: 'sanitize', replacement: '<ACCOUNT>' };
const FORBIDDEN = { name: 'forbidden', words: ['top secret'], verdict: 'block' };

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    packs: {
      masks: rules({}, ACCOUNT),
      halts: rules({}, FORBIDDEN),
      late: rules({ stream: 'post' }, FORBIDDEN),
      buffers: rules({ stream: 'buffer' }, ACCOUNT),
    },
    routes: Object.fromEntries(['masks', 'halts', 'late', 'buffers'].map((name) => [name, routeTo('upstream', [name])])),
  });
});
afterAll(() => scene.close());

const stop = chunk({}, { finish_reason: 'stop' });
const lettersOf = (text: string) => [...text].map((content) => chunk({ content }));

async function through(model: string, list: readonly unknown[]) {
  scene.upstream.respond(framesOf(list));
  const read = await readStream(scene.gateway, 'hello', { model });
  expect(read.done).toBe(true);
  return read;
}

/** The mode in which the node of a route looked at the answer. */
async function modeOf(run_id: string): Promise<unknown> {
  const looked = ofType(await scene.events(run_id), 'verdict').filter(({ stage }) => stage === 'egress');
  expect(looked).toHaveLength(1);
  return looked[0]?.data.mode;
}

describe('the rules guard', () => {
  it('sends text as it arrives, and holds back text that may become a match', async () => {
    const { live, reading } = await scene.begin('masks', ['some words before ', 'ACC-12']);
    const reader = await reading;
    const first = await reader.next();
    expect('some words before '.startsWith(textOf(first === null ? [] : [first]))).toBe(true);
    await live.send(chunk({ content: '34 and after' }));
    await live.send(stop);
    await live.done();
    await reader.rest();
    expect(reader.raw).not.toMatch(/ACC-/);
  });

  it('gives the same result letter by letter as in one piece', async () => {
    const text = 'ACC-1, ACC-123456789 ACC- ACC-12ACC-7';
    const [one, many] = [
      await through('masks', [chunk({ content: text }), stop]),
      await through('masks', [...lettersOf(text), stop]),
    ];
    expect(textOf(one.frames)).toBe('<ACCOUNT>, <ACCOUNT>789 ACC- <ACCOUNT><ACCOUNT>');
    expect(textOf(many.frames)).toBe(textOf(one.frames));
    expect(await modeOf(many.run_id)).toBe('window');
  });

  it('stops at a phrase before any letter of it is sent', async () => {
    const { frames, run_id } = await through('halts', [...lettersOf('this is top secret, and more'), stop]);
    // The reason follows an empty line.
    const [said = ''] = textOf(frames).split('\n\n');
    expect('this is '.startsWith(said)).toBe(true);
    expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation' });
    expect(await scene.status(run_id)).toBe('blocked');
  });

  it('judges afterwards with `stream: post`', async () => {
    const { frames, run_id } = await through('late', [...lettersOf('this is top secret, and more'), stop]);
    expect(textOf(frames).split('\n\n')[0]).toBe('this is top secret, and more');
    expect(frames.at(-1)).toMatchObject({ svc_event: 'late_violation' });
    expect(await modeOf(run_id)).toBe('post');
  });

  it('buffers the answer with `stream: buffer`', async () => {
    const { frames, run_id } = await readStream(scene.gateway, 'ACC-1', { model: 'buffers' });
    expect(textOf(frames)).toBe('upstream: <ACCOUNT>');
    expect(await modeOf(run_id)).toBe('whole');
  });
});
