import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, frames, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk, ofType, StreamScene, WORD } from '../harness/stream-scene.ts';

let other: Upstream;
/** Answers 503, always. */
let down: Upstream;
let scene: StreamScene;
beforeAll(async () => {
  other = await startUpstream();
  down = await startUpstream(failure(503));
  const pipeline = { ingress: [], egress: [] };
  const both = ['upstream', 'other'];
  scene = await StreamScene.start({
    providers: {
      other: { type: 'openai', base_url: other.url, region: 'eu' },
      down: { type: 'openai', base_url: down.url, region: 'eu' },
    },
    routes: {
      shared: { endpoints: both.map((provider) => ({ provider, model: 'm' })), pipeline },
      guarded: { endpoints: both.map((provider) => ({ provider, model: 'm' })), pipeline: { ingress: [], egress: ['window'] } },
      patient: { provider: 'upstream', model: 'm', retries: 2, pipeline },
      held: { provider: 'upstream', model: 'm', retries: 3, pipeline: { ingress: [], egress: ['window'] } },
      replaced: { provider: 'upstream', model: 'm', fallbacks: [{ provider: 'other', model: 'm' }], pipeline },
      halved: { endpoints: ['down', 'other'].map((provider) => ({ provider, model: 'm' })), pipeline },
      chained: {
        provider: 'down',
        model: 'big',
        fallbacks: [
          { provider: 'down', model: 'small' },
          { provider: 'local', model: 'echo-1' },
        ],
        pipeline,
      },
      broken: { provider: 'down', model: 'broken', fallbacks: [{ provider: 'other', model: 'm' }], pipeline },
    },
  });
});
afterAll(async () => {
  await scene.close();
  await other.close();
  await down.close();
});
/** What one request met: the outcome of each attempt, by provider. */
async function attempts(model: string, stream: boolean): Promise<[unknown, unknown, unknown][]> {
  const run_id = stream
    ? (await readStream(scene.gateway, 'hello', { model })).run_id
    : ((await scene.gateway.chat('hello', { model })).headers.get('x-svc-run-id') ?? '');
  return ofType(await scene.events(run_id), 'provider_call').map(({ data }) => [data.attempt, data.provider, data.outcome]);
}

describe.each([false, true])('endpoints of a route (stream: %s)', (stream) => {
  it.each(['shared', 'guarded'])('share the runs of %s', async (route) => {
    const seen = new Set<unknown>();
    for (let asked = 0; seen.size < 2 && asked < 64; asked += 1)
      for (const [, provider] of await attempts(route, stream)) seen.add(provider);
    expect([...seen].toSorted()).toEqual(['other', 'upstream']);
  });

  it('replace each other after failures, with every attempt recorded', async () => {
    const made = [];
    // Four failures on end are not enough to pass it over.
    for (let asked = 0; asked < 4; asked += 1) made.push(await attempts('halved', stream));
    for (const calls of made) {
      expect(calls.at(-1)).toEqual([calls.length, 'other', 'answered']);
      if (calls.length > 1) expect(calls[0]?.slice(0, 2)).toEqual([1, 'down']);
    }
  });

  it('are called again if that costs nothing', async () => {
    scene.upstream.respond(failure(429, { 'retry-after-ms': '1' }), failure(503));
    expect(await attempts('patient', stream)).toEqual([
      [1, 'upstream', 'rate_limited'],
      [2, 'upstream', 'unavailable'],
      [3, 'upstream', 'answered'],
    ]);
  });

  it('are replaced if they answer with a web page', async () => {
    scene.upstream.respond(raw(200, { 'content-type': 'text/html' }, '<h1>Back soon</h1>'));
    expect(await attempts('replaced', stream)).toEqual([
      [1, 'upstream', 'malformed'],
      [2, 'other', 'answered'],
    ]);
    scene.upstream.respond(raw(200, JSON_HEADERS, '{"status":"maintenance"}'));
    expect((await attempts('replaced', stream)).at(-1)).toEqual([2, 'other', 'answered']);
  });
});

it('every fallback is tried in order, with its own model', async () => {
  const run_id = (await scene.gateway.chat('hello', { model: 'chained' })).headers.get('x-svc-run-id') ?? '';
  expect(ofType(await scene.events(run_id), 'provider_call').map(({ data }) => data)).toMatchObject([
    { provider: 'down', model: 'big', attempt: 1, outcome: 'unavailable' },
    { provider: 'down', model: 'small', attempt: 2, outcome: 'unavailable' },
    { provider: 'local', model: 'echo-1', attempt: 3, outcome: 'answered' },
  ]);
});

it('the inventory and GET /v1/routes name the fallbacks', async () => {
  const { body } = await scene.gateway.get('/v1/audit/inventory?route=chained');
  expect(body.records[0].model_dependencies).toEqual(expect.arrayContaining(['fallback down small', 'fallback local echo-1']));
  const { routes } = (await scene.gateway.get('/v1/routes')).body;
  expect(routes.find(({ name }: { name: string }) => name === 'chained').fallbacks).toEqual([
    { name: 'down', model: 'small', weight: null },
    { name: 'local', model: 'echo-1', weight: null },
  ]);
});

it('an endpoint that keeps failing is skipped while another is available, and metrics show this', async () => {
  for (let asked = 0; asked < 5; asked += 1) await attempts('broken', false);
  expect(await attempts('broken', false)).toEqual([
    [1, 'down', 'skipped'],
    [2, 'other', 'answered'],
  ]);
  const { text: metrics } = await scene.gateway.get('/metrics', null);
  expect(metrics).toContain('svc_upstream_circuit_open{provider="down",model="broken",cause="failures"} 1');
});

it('an unreadable answer was paid for: no other endpoint is called', async () => {
  scene.upstream.respond(raw(200, JSON_HEADERS, '{"choices":[{"index":0,"message":{"content":1}}]}'));
  expect(await attempts('replaced', false)).toEqual([[1, 'upstream', 'malformed']]);
});

it('a stream that fails after the upstream took the request is not repeated', async () => {
  scene.upstream.respond(
    frames([chunk({ content: WORD.slice(0, 4) }), { error: { message: 'x', type: 'overloaded_error' } }], { done: false }),
  );
  expect(await attempts('held', true)).toEqual([[1, 'upstream', 'unavailable']]);
});
