import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  answer,
  type Behaviour,
  broken,
  failure,
  frames as framesOf,
  SSE_HEADERS,
  sseFrame,
  stalled,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, ofType, routeTo, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
let second: Upstream;
beforeAll(async () => {
  second = await startUpstream();
  const fallbacks = [{ provider: 'second', model: 'small' }];
  scene = await StreamScene.start({
    providers: { second: { type: 'openai', base_url: second.url, region: 'eu' } },
    routes: Object.fromEntries(
      ['open', 'window', 'stop', 'post'].map((name) => [name, routeTo('hasty', name === 'open' ? [] : [name], { fallbacks })]),
    ),
  });
});
afterAll(async () => {
  await scene.close();
  await second.close();
});

// An endpoint that fails on and on would be passed over.
beforeEach(async () => {
  expect((await scene.gateway.chat('hello', { model: 'open' })).status).toBe(200);
});

const ROLE = sseFrame(chunk({ role: 'assistant', content: '' }));
const SHORT = sseFrame(chunk({ content: 'first' }));
const LONG = sseFrame(chunk({ content: 'the first provider says ' }));

it.each<[string, string, Behaviour | Behaviour[], string, boolean]>([
  ['429', 'open', failure(429), 'rate_limited', false],
  ['500', 'window', failure(500), 'unavailable', false],
  // The second is of the new connection in place of the one that was reused.
  ['a broken connection', 'post', [broken(), broken()], 'unavailable', false],
  ['a time-out', 'open', stalled(), 'timeout', false],
  ['a time-out after the head', 'open', stalled('', SSE_HEADERS), 'timeout', true],
  ['an end after the role', 'open', broken(ROLE, SSE_HEADERS), 'unavailable', true],
  ['an end after the role', 'window', broken(ROLE, SSE_HEADERS), 'unavailable', true],
  ['silence after the role', 'post', stalled(ROLE, SSE_HEADERS), 'timeout', true],
  ['an end while a window holds the text', 'window', broken(ROLE + SHORT, SSE_HEADERS), 'unavailable', true],
  ['an end while a window holds the text', 'stop', broken(SHORT, SSE_HEADERS), 'unavailable', true],
  ['an error in the stream', 'window', framesOf([{ error: { code: 503 } }]), 'unavailable', true],
])('after %s on the route %s the fallback answers the stream', async (_what, model, behaviour, outcome, paid) => {
  scene.upstream.respond(...[behaviour].flat());
  second.respond(answer('from the second'));
  const { frames, done, raw, run_id } = await readStream(scene.gateway, 'hello', { model });
  expect(done).toBe(true);
  expect(textOf(frames)).toBe('from the second');
  expect(frames.filter(({ choices }) => choices.some(({ delta }) => 'role' in delta))).toHaveLength(1);
  expect(raw).not.toContain('first');
  expect(second.requests.at(-1)?.body).toMatchObject({ model: 'small', stream: true });

  const calls = ofType(await scene.events(run_id), 'provider_call').map(({ data }) => data);
  expect(calls).toMatchObject([
    { provider: 'hasty', attempt: 1, outcome },
    { provider: 'second', attempt: 2, outcome: 'answered', usage: { estimated: false } },
  ]);
  // An upstream that had taken the request is paid for.
  expect('usage' in (calls[0] as JsonObject)).toBe(paid);
  const looked = ofType(await scene.events(run_id), 'verdict').filter(({ stage }) => stage === 'egress');
  expect(looked.map(({ data }) => (data.scanned as JsonObject).characters)).toEqual(
    model === 'open' ? [] : ['from the second'.length],
  );
});

it.each(['open', 'window', 'post'])('after the first text was sent on the route %s there is no fallback', async (model) => {
  const before = second.requests.length;
  scene.upstream.respond(broken(ROLE + LONG, SSE_HEADERS));
  const { frames, done } = await readStream(scene.gateway, 'hello', { model });
  expect(done).toBe(true);
  expect(frames.at(-1)).toMatchObject({ error: { code: 'SVC-PROV-001' } });
  expect(second.requests).toHaveLength(before);
});

it("the fallback's answer passes the guards from its beginning", async () => {
  scene.upstream.respond(broken(sseFrame(chunk({ content: 'ACC-' })), SSE_HEADERS));
  second.respond(
    framesOf([chunk({ content: 'WXYZ is no match, ACC-' }), chunk({ content: 'WXYZ is' }), chunk({}, { finish_reason: 'stop' })]),
  );
  const { frames } = await readStream(scene.gateway, 'hello', { model: 'window' });
  expect(textOf(frames)).toBe('WXYZ is no match, *** is');
});

it('a guard that stops the stream causes no fallback', async () => {
  const before = second.requests.length;
  scene.upstream.respond(framesOf([chunk({ content: 'ACC-WXYZ' }), chunk({}, { finish_reason: 'stop' })]));
  const { frames } = await readStream(scene.gateway, 'hello', { model: 'stop' });
  expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation' });
  expect(second.requests).toHaveLength(before);
});
