import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, failure, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { reconfigure } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const openai = { type: 'openai', base_url: upstream.url, timeout_ms: 5000 };
  const route = (provider: string, pack: string, fallbacks: string[] = []): JsonObject => ({
    provider,
    model: 'm-1',
    fallbacks: fallbacks.map((name) => ({ provider: name, model: 'm-1' })),
    pipeline: { ingress: [pack], egress: [] },
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { eu: { ...openai, region: 'eu' }, us: { ...openai, region: 'us' }, nowhere: openai },
      packs: {
        block: { type: 'residency', allowed_regions: ['eu'] },
        ask: { type: 'residency', allowed_regions: ['eu'], require_approval: true },
        watch: { type: 'residency', allowed_regions: ['eu'], mode: 'observe' },
      },
      routes: {
        inside: route('eu', 'block'),
        outside: route('us', 'block', ['eu']),
        allOutside: route('us', 'block', ['us']),
        unknown: route('nowhere', 'block'),
        asked: route('us', 'ask'),
        passedOver: route('eu', 'block', ['us', 'nowhere', 'eu']),
        neverAsked: route('eu', 'ask', ['us', 'eu']),
        onlyOutside: route('eu', 'ask', ['us']),
        watched: route('us', 'watch'),
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});
let before = 0;
beforeEach(() => {
  before = upstream.requests.length;
});
const calls = (): number => upstream.requests.length - before;

interface Event {
  event_type: string;
  stage: string;
  node: string;
  data: JsonObject;
}

async function asked(model: string) {
  const { status, body, headers } = await gateway.chat('hello', { model });
  const run_id = headers.get('x-svc-run-id') ?? '';
  const run = (await gateway.get(`/v1/runs/${run_id}`)).body;
  const events: Event[] = run.events;
  const endpoints = events
    .filter(({ stage, event_type }) => stage === 'execute' && event_type !== 'provider_call' && event_type !== 'state')
    .map(({ event_type, data }) => [event_type, data.verdict, data.code, (data.endpoint as JsonObject | undefined)?.region]);
  return { status, run_id, run: run.status, endpoints, text: body.choices?.[0].message.content as string, events };
}

const OUTSIDE = ['verdict', 'block', 'region-not-allowed', 'us'];
const INSIDE = ['verdict', 'allow', 'region-allowed', 'eu'];

describe("the route's provider", () => {
  it('is called in an allowed region, and the event names the endpoint', async () => {
    const { run, endpoints, events } = await asked('inside');
    expect([run, calls(), endpoints]).toEqual(['completed', 1, [INSIDE]]);
    expect(events.find(({ node, stage }) => node === 'block' && stage === 'execute')?.data).toMatchObject({
      endpoint: { provider: 'eu', model: 'm-1', region: 'eu' },
    });
  });

  it('is not called elsewhere; a fallback that is allowed is called instead', async () => {
    const { run, endpoints } = await asked('outside');
    expect([run, calls(), endpoints]).toEqual(['completed', 1, [OUTSIDE, INSIDE]]);
  });

  it('is called by no fallback if none is allowed', async () => {
    const { run, endpoints, text } = await asked('allOutside');
    expect([run, calls(), endpoints]).toEqual(['blocked', 0, [OUTSIDE, OUTSIDE]]);
    expect(text).toContain('region-not-allowed');
  });

  it('is not called without a declared region', async () => {
    const { run, endpoints } = await asked('unknown');
    expect([run, calls(), endpoints]).toEqual(['blocked', 0, [['verdict', 'block', 'region-unknown', null]]]);
  });

  it.each([
    ['approved', 'completed', 1],
    ['denied', 'denied', 0],
  ])('waits for an approver if configured: %s', async (decision, status, called) => {
    const { run, run_id, endpoints } = await asked('asked');
    expect([run, calls(), endpoints.slice(0, 1)]).toEqual([
      'paused',
      0,
      [['verdict', 'require_approval', 'region-not-allowed', 'us']],
    ]);
    expect((await gateway.post(`/v1/runs/${run_id}/resume`, { decision }, 'bob')).body.status).toBe(status);
    expect(calls()).toBe(called);
  });
});

it('an approval applies to its endpoint: if the route changed meanwhile, another is required', async () => {
  const openai = { type: 'openai', base_url: upstream.url, timeout_ms: 5000 };
  const leadingTo = (provider: string, owner: string): GatewayConfig =>
    echoConfig({
      providers: { us: { ...openai, region: 'us' }, far: { ...openai, region: 'far' } },
      packs: { ask: { type: 'residency', allowed_regions: ['eu'], require_approval: true } },
      routes: { default: { provider, model: 'm-1', owner, pipeline: { ingress: ['ask'], egress: [] } } },
    });
  const moving = await TestGateway.start({ here: true, config: leadingTo('us', 'a') });
  try {
    // Two texts: a decision on a request holds for its repetitions.
    const pausedRun = async (content: string) =>
      (await moving.post('/v1/runs', { messages: [{ role: 'user', content }] })).body.run_id;
    const [first, second] = [await pausedRun('hello'), await pausedRun('good day')];
    const approve = async (run_id: string) =>
      (await moving.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob')).body.status;
    await moving.stop();
    await reconfigure(moving, leadingTo('far', 'a'));
    await moving.launch();
    expect([await approve(first), calls()]).toEqual(['paused', 0]);
    expect([await approve(first), calls()]).toEqual(['completed', 1]);
    await moving.stop();
    await reconfigure(moving, leadingTo('us', 'b'));
    await moving.launch();
    expect([await approve(second), calls()]).toEqual(['completed', 2]);
  } finally {
    await moving.dispose();
  }
});

describe('a fallback elsewhere', () => {
  it('is passed over and recorded, and the next one is tried', async () => {
    upstream.respond(failure(503), answer('from the last'));
    const { run, endpoints, text } = await asked('passedOver');
    expect([run, calls(), text]).toEqual(['completed', 2, 'from the last']);
    expect(endpoints).toEqual([INSIDE, OUTSIDE, ['verdict', 'block', 'region-unknown', null], INSIDE]);
  });

  it('never pauses the run', async () => {
    upstream.respond(failure(503), answer('from the last'));
    const { run, endpoints, text } = await asked('neverAsked');
    expect([run, calls(), text]).toEqual(['completed', 2, 'from the last']);
    expect(endpoints[1]).toEqual(['verdict', 'require_approval', 'region-not-allowed', 'us']);
  });

  it("returns the provider's failure if there is no other endpoint", async () => {
    upstream.respond(failure(503));
    expect(await asked('onlyOutside')).toMatchObject({ status: 502, run: 'error' });
    expect(calls()).toBe(1);
  });
});

it('in observe mode, it records what it would have done, and calls the model', async () => {
  const { run, endpoints } = await asked('watched');
  expect([run, calls(), endpoints]).toEqual(['completed', 1, [['observed', 'block', 'region-not-allowed', 'us']]]);
});

it('lint warns about every endpoint that the guard would refuse once the server has started', () => {
  const warned = [...gateway.output.matchAll(/"code":"SVC-POL-005".*?"path":"([^"]+)"/g)].map(([, path]) => path);
  expect(warned.sort()).toEqual([
    'routes.allOutside.fallbacks.0.provider',
    'routes.allOutside.provider',
    'routes.asked.provider',
    'routes.neverAsked.fallbacks.0.provider',
    'routes.onlyOutside.fallbacks.0.provider',
    'routes.outside.provider',
    'routes.passedOver.fallbacks.0.provider',
    'routes.passedOver.fallbacks.1.provider',
    'routes.unknown.provider',
  ]);
});
