import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const BARE = { ingress: [], egress: [] };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const far = { type: 'openai', base_url: upstream.url };
  const budget = {
    type: 'budget',
    limits: [{ scope: 'route', unit: 'usd', amount: 100, period: 'day' }],
    prices: { 'gpt-*': { input: 1, output: 1 }, 'gpt-4o*': { input: 5, output: 5 } },
  };
  const config = echoConfig({
    providers: { far },
    packs: { budget },
    routes: {
      '*': { provider: 'far', pipeline: BARE },
      'gpt-*': { endpoints: [{ provider: 'far' }], pipeline: { ingress: ['budget', 'mask', 'policy'], egress: ['budget'] } },
      'gpt-4o-*': { provider: 'far', model: 'always-this', pipeline: BARE },
      'gpt-5': { provider: 'far', model: 'exactly', pipeline: BARE },
    },
    limits: [{ route: 'gpt-*', requests_per_minute: 1000 }],
  });
  const principals = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'gina', routes: ['gpt-*'] }];
  gateway = await TestGateway.start({ config, principals, here: true });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});
beforeEach(() => upstream.respond(answer('fine')));

const sent = (): unknown => Reflect.get(upstream.requests.at(-1)?.body as JsonObject, 'model');
const chat = (model: string, content = 'hello', principal = 'alice') => gateway.chat(content, { model, principal });

it.each([
  ['gpt-4.1', 'gpt-4.1', 'gpt-*'],
  ['gpt-', 'gpt-', 'gpt-*'],
  ['gpt-4o-mini', 'always-this', 'gpt-4o-*'],
  ['gpt-4o', 'gpt-4o', 'gpt-*'],
  ['gpt-5', 'exactly', 'gpt-5'],
  ['gpt-5-mini', 'gpt-5-mini', 'gpt-*'],
  ['meta/llama-3:70b', 'meta/llama-3:70b', '*'],
])('%s is requested as %s, on the route %s', async (model, called, route) => {
  const { status, headers, body: said } = await chat(model);
  expect([status, sent(), said.model]).toEqual([200, called, model]);
  const { body } = await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`);
  expect(body.route).toBe(route);
  expect(body.events.find(({ event_type }: JsonObject) => event_type === 'provider_call').data.model).toBe(called);
  const evidence = (await gateway.ledger()).find(({ run_id }) => run_id === body.run_id);
  expect(evidence).toMatchObject({ model_id: route });
});

it.each(['messages', 'responses', 'embeddings'])('the model is passed on over /v1/%s', async (door) => {
  const asked = {
    messages: { max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] },
    responses: { input: 'hello' },
    embeddings: { input: 'hello' },
  };
  await gateway.post(`/v1/${door}`, { model: 'other-1', ...asked[door as keyof typeof asked] });
  expect(sent()).toBe('other-1');
});

it('paused and background runs keep the requested model', async () => {
  const { body: paused } = await chat('gpt-paused', 'a wire transfer');
  const { body } = await gateway.post(`/v1/runs/${paused.svc_run_id}/resume`, { decision: 'approved' }, 'bob');
  expect([body.status, sent()]).toEqual(['completed', 'gpt-paused']);
  upstream.respond(answer('fine'));
  const { body: later } = await gateway.post('/v1/runs', {
    route: 'gpt-later',
    messages: [{ role: 'user', content: 'x' }],
    background: true,
  });
  await until(async () => (await gateway.get(`/v1/runs/${later.run_id}`)).body.status === 'completed');
  expect(sent()).toBe('gpt-later');
});

it.each([
  'gpt-*',
  '*',
  'gpt 4',
  'gpt-\n',
  '',
  '../x',
  'gpt-4/../gpt-5',
  'gpt-4/./x',
  'gpt-4//x',
  'gpt-4/',
  `gpt-${'x'.repeat(300)}`,
])('%j is not the name of a model', async (model) => {
  const before = upstream.requests.length;
  expect((await chat(model)).status).toBe(404);
  expect(upstream.requests).toHaveLength(before);
});

it('a key grants only the routes that it names, even if a longer prefix or an exact name takes precedence', async () => {
  expect((await chat('gpt-4.1', 'hello', 'gina')).status).toBe(200);
  for (const model of ['gpt-5', 'gpt-4o-mini', 'other']) expect((await chat(model, 'hello', 'gina')).status).toBe(403);
  const { body } = await gateway.get('/v1/models', 'gina');
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['gpt-*']);
  expect((await gateway.get('/v1/models/gpt-4.1', 'gina')).body).toMatchObject({ id: 'gpt-4.1', object: 'model' });
  expect((await gateway.get('/v1/models/gpt-5', 'gina')).status).toBe(403);
});

it('metrics name the route, not any number of models', async () => {
  await chat('gpt-of-the-metrics');
  const { text } = await gateway.get('/metrics', null);
  expect(text).toContain('model="gpt-*"');
  expect(text).not.toContain('gpt-of-the-metrics');
});

it("limits and budgets are the route's, and prices may have a pattern", async () => {
  const { headers } = await chat('gpt-4o');
  expect(headers.get('x-ratelimit-limit-requests')).toBe('1000');
  const { body } = await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`);
  expect(body.events.filter(({ node }: JsonObject) => node === 'budget').length).toBeGreaterThan(0);
});

it('a route with one model needs the exact name', async () => {
  const config = echoConfig({ routes: { plain: { provider: 'local', pipeline: BARE } } });
  await expect(TestGateway.start({ config, here: true })).rejects.toThrow(
    /routes\.plain\.?(model)?: is missing; only a route whose name ends in \*/,
  );
});
