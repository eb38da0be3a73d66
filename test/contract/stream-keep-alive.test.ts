import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, failure, held } from '../fixtures/upstream.ts';
import { decideOnNext } from '../harness/decide.ts';
import { endingsOf, StreamReader, textOf } from '../harness/stream-reader.ts';
import { chunk, routeTo, StreamScene, WORD } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    server: { keep_alive_ms: 100 },
    // A whole answer that nobody wants on disk before its end.
    runs: { record_start: false },
    packs: { wholeStop: { type: 'masker', word: WORD, stream: 'none', verdict: 'block' } },
    routes: {
      patient: routeTo('upstream', [], { approval_wait_ms: 60_000 }),
      wholeStop: routeTo('upstream', ['wholeStop']),
    },
  });
});
afterAll(() => scene.close());

const KEEP_ALIVE = ': keep-alive\n\n';

/** A caller whose stream has been kept alive while its upstream said nothing. */
async function kept(model: string, next: Parameters<typeof held>[0]) {
  const upstream = held(next);
  scene.upstream.respond(upstream.behaviour);
  const reader = await StreamReader.ask(scene.gateway, 'hello', { model });
  return { reader, release: upstream.release };
}

describe.each(['open', 'window', 'whole'])('a stream on the route %s whose upstream is silent', (model) => {
  it('begins with a comment, once its run is on disk', async () => {
    const { reader, release } = await kept(model, answer('at last'));
    expect(reader.response.status).toBe(200);
    expect(reader.response.headers.get('content-type')).toContain('text/event-stream');
    expect(await scene.status(reader.run_id)).toBe('running');
    release();
    const frames = await reader.rest();
    expect(reader.raw.startsWith(KEEP_ALIVE)).toBe(true);
    expect(textOf(frames)).toBe('at last');
    expect(endingsOf(frames)).toEqual([[0, 'stop']]);
    expect(reader.done).toBe(true);
    const [evidence] = await scene.evidence(reader.run_id);
    expect(frames.at(-1)).toMatchObject({
      svc_run_id: reader.run_id,
      svc_evidence: `${evidence?.seq} ${evidence?.hash}`,
    });
  });

  it('reports a failure in a frame without choices, not by a status', async () => {
    const { reader, release } = await kept(model, failure(429, { 'retry-after': '7' }));
    release();
    const frames = await reader.rest();
    expect(frames).toMatchObject([{ error: { code: 'SVC-PROV-003', type: 'rate_limit_error' }, svc_run_id: reader.run_id }]);
    expect(frames[0]).not.toHaveProperty('choices');
    expect(reader.done).toBe(true);
    expect(await scene.evidence(reader.run_id)).toMatchObject([{ status: 'error' }]);
  });

  it('ends its run when its caller leaves', async () => {
    const asked = scene.upstream.received(scene.upstream.requests.length + 1);
    const { reader } = await kept(model, answer('for nobody'));
    reader.leave();
    await (await asked).disconnected;
    expect(await scene.ended(reader.run_id)).toBe('error');
  });
});

it('an answer that a guard blocks as a whole is reported like any other stop', async () => {
  const { reader, release } = await kept('wholeStop', answer(`this is ${WORD}`));
  release();
  const frames = await reader.rest();
  expect(frames).toMatchObject([{ svc_event: 'blocked', svc_run_id: reader.run_id }]);
  expect(endingsOf(frames)).toEqual([[0, 'content_filter']]);
  expect(reader.raw).not.toContain(WORD);
});

it('a stream that falls silent after its first frames is kept alive', async () => {
  const { live, reading } = await scene.begin('open', ['one ']);
  const reader = await reading;
  const first = [await reader.next(), await reader.next()].filter((frame) => frame !== null);
  expect(textOf(first)).toBe('one ');
  const last = reader.rest();
  await reader.heard(KEEP_ALIVE);
  await live.send(chunk({ content: 'two' }));
  await live.send(chunk({}, { finish_reason: 'stop' }));
  await live.done();
  expect(textOf(await last)).toBe('two');
  expect(reader.done).toBe(true);
});

it('a stream that waits for an approver is kept alive until the decision', async () => {
  const reading = StreamReader.ask(scene.gateway, 'a wire transfer', { model: 'patient' });
  const reader = await reading;
  await expect.poll(() => scene.status(reader.run_id)).toBe('paused');
  scene.upstream.respond(answer('decided'));
  expect(await decideOnNext(scene.gateway, 'patient', 'approved')).toBe(reader.run_id);
  const frames = await reader.rest();
  expect(reader.raw.startsWith(KEEP_ALIVE)).toBe(true);
  expect(textOf(frames)).toBe('decided');
});
