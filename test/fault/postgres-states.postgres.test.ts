import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { liveStream, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { StreamReader } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  upstream = await startUpstream();
  const config = echoConfig({
    providers: { upstream: { type: 'openai', base_url: upstream.url } },
    routes: { live: { provider: 'upstream', model: 'm-1' } },
  });
  replicas = await Replicas.start(inject('postgres'), config, 2, [
    { principal_id: 'alice' },
    { principal_id: 'ada', roles: ['admin'] },
  ]);
});
afterAll(async () => {
  await replicas.dispose();
  await upstream.close();
});

it('a stop at one replica ends streams at the other', async () => {
  const [a, b] = replicas.all;
  if (a === undefined || b === undefined) throw new Error('no replicas');
  const live = liveStream();
  upstream.respond(live.behaviour);
  const asking = StreamReader.ask(b, 'hello', { model: 'live' });
  await live.send(chunk({ role: 'assistant', content: 'a piece' }));
  const reading = await asking;
  const set = (state: string) => a.request('PUT', '/v1/operations/states/route/live', { principal: 'ada', body: { state } });
  expect((await set('disabled')).status).toBe(200);
  const stopped = performance.now();
  const frames = await reading.rest();
  expect(performance.now() - stopped).toBeLessThan(2000);
  expect(frames.at(-1)?.error).toMatchObject({ code: 'SVC-OPS-001' });
  for (const gateway of [a, b]) expect((await gateway.chat('hello', { model: 'live' })).body.code).toBe('SVC-OPS-001');
  expect((await set('enabled')).status).toBe(200);
  // It holds there as soon as the change was read: each look waits for the server, not for a clock.
  for (let status = 503; status !== 200; ) ({ status } = await b.chat('hello', { model: 'live' }));
});
