import { afterAll, beforeAll, expect, it } from 'vitest';
import { dripped, sseFrame } from '../fixtures/upstream.ts';
import { readStream, StreamReader } from '../harness/stream-reader.ts';
import { chunk, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({}, { here: false });
});
afterAll(() => scene.close());

/** 48 MB in all: more than the system buffers on both connections. */
const PIECES = 3_000;
const PIECE = 16_000;
/** A number in front, so that nothing can be lost or change places unnoticed. */
const pieceOf = (n: number): string => String(n).padStart(8, '0').padEnd(PIECE, 'x');

function* manyPieces(): Generator<string> {
  for (let n = 0; n < PIECES; n += 1) yield sseFrame(chunk({ content: pieceOf(n) }));
  yield sseFrame(chunk({}, { finish_reason: 'stop' }));
  yield sseFrame('[DONE]');
}

/** Asks other streams until ten of them in a row have seen the count stand still. */
async function standstill(count: () => number): Promise<number> {
  for (let [still, before] = [0, count()]; ; ) {
    const { done } = await readStream(scene.gateway, 'someone else', { model: 'open' });
    expect(done).toBe(true);
    still = count() === before ? still + 1 : 0;
    before = count();
    if (still === 10) return before;
  }
}

it.each(['open', 'window'])(
  'a reader that stops slows the upstream down, and misses nothing when it continues (%s)',
  async (model) => {
    const upstream = dripped(manyPieces());
    scene.upstream.respond(upstream.behaviour);
    const reader = await StreamReader.ask(scene.gateway, 'hello', { model });
    const taken = await standstill(upstream.sent);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(PIECES * 0.8);
    expect(await scene.status(reader.run_id)).toBe('running');

    let text = '';
    let next = 0;
    for (let frame = await reader.next(); frame !== null; frame = await reader.next()) {
      for (const { delta } of frame.choices) text += typeof delta.content === 'string' ? delta.content : '';
      for (; text.length >= PIECE; text = text.slice(PIECE)) {
        expect(Number(text.slice(0, 8))).toBe(next);
        next += 1;
      }
    }
    expect(next).toBe(PIECES);
    expect(text).toBe('');
    expect(reader.done).toBe(true);
    expect(await scene.status(reader.run_id)).toBe('completed');
  },
);

it('a reader that stops and then disconnects releases the upstream', async () => {
  const upstream = dripped(manyPieces());
  scene.upstream.respond(upstream.behaviour);
  const asked = scene.upstream.received(scene.upstream.requests.length + 1);
  const reader = await StreamReader.ask(scene.gateway, 'hello', { model: 'open' });
  const { disconnected } = await asked;
  await standstill(upstream.sent);
  reader.leave();
  await disconnected;
  expect(await scene.ended(reader.run_id)).toBe('error');
});
