import { behaviours } from '@svc/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const left = Promise.withResolvers<void>();
let service: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  let failing: (() => void) | null = null;
  service = await startUpstream((request, response) => {
    if (failing === null) failing = () => behaviours.failure(500)(request, response);
    else {
      response.on('close', left.resolve);
      failing();
    }
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { presidio: { base_url: service.url, languages: ['en', 'de'], timeout_ms: 3_600_000 } },
      routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['presidio'], egress: [] } } },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await service.close();
});

it('after a call has failed, the other calls of the check end too', async () => {
  const { body } = await gateway.post('/v1/guard', { route: 'default', text: 'hello' });
  expect([body.verdict, body.code]).toEqual(['block', 'SVC-NODE-001']);
  await left.promise;
  expect(service.requests).toHaveLength(2);
});
