import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { answer, failure, held } from '../fixtures/upstream.ts';
import { echoConfig } from '../harness/gateway.ts';
import { decide, type Event, evidenceOf, judgedBy, ofType, pausedRun, pausingConfig } from './pausing-gateway.ts';
import { hashOf, PATH, ReloadingGateway } from './reloading-gateway.ts';

const scene = new ReloadingGateway();
const { start, write, apply, applied, digest, fileDigest, models, times, operations, counting, counted } = scene;

const inventory = async (): Promise<JsonObject[]> =>
  (await scene.gateway.ledger()).filter(({ record_type }) => record_type === 'model_inventory');

describe('routes', () => {
  it('report stops in another form at once', async () => {
    const config = (stops: string) =>
      echoConfig({
        routes: { told: { provider: 'local', model: 'echo-1', stops, pipeline: { ingress: ['policy'], egress: [] } } },
      });
    const formOf = async () =>
      (await scene.gateway.get('/v1/routes')).body.routes.find(({ name }: JsonObject) => name === 'told').stops;
    await start(config('text'));
    expect((await scene.gateway.chat('forbidden', { model: 'told' })).status).toBe(200);
    expect(await formOf()).toBe('text');
    await applied(config('error'));
    expect((await scene.gateway.chat('forbidden', { model: 'told' })).body.code).toBe('SVC-RUN-008');
    expect(await formOf()).toBe('error');
    await write(config('silence'));
    expect((await apply()).body.diagnostics).toMatchObject([{ path: 'routes.told.stops' }]);
  });

  it('are added, removed and changed at once, with evidence', async () => {
    const route = (model: string) => ({ provider: 'local', model, pipeline: { ingress: ['mask'], egress: [] } });
    await start(echoConfig({ routes: { old: route('echo-1'), same: route('echo-1'), other: route('echo-1') } }));
    const before = await digest();
    const records = (await inventory()).length;

    const body = await applied(echoConfig({ routes: { same: route('echo-1'), other: route('echo-2'), fresh: route('echo-1') } }));
    expect(body).toEqual({
      active_digest: await fileDigest(),
      previous_digest: before,
      file_digest: await fileDigest(),
      changes: [
        { section: 'routes', name: 'other', change: 'changed' },
        { section: 'routes', name: 'fresh', change: 'added' },
        { section: 'routes', name: 'old', change: 'removed' },
      ],
      warnings: [],
    });
    expect(await digest()).toBe(body.active_digest);
    expect((await scene.gateway.get(PATH, 'root')).body).toMatchObject({ active_digest: body.active_digest });
    expect((await models()).toSorted()).toEqual(['default', 'fresh', 'other', 'same']);
    expect((await scene.gateway.chat('ACC-1', { model: 'fresh' })).body.choices[0].message.content).toBe('echo: <ACCOUNT>');
    expect((await scene.gateway.chat('ACC-1', { model: 'old' })).body.code).toBe('SVC-ROUTE-001');

    expect((await inventory()).slice(records).map(({ model_id, model_name }) => [model_id, model_name])).toEqual([
      ['other', 'echo-2'],
      ['fresh', 'echo-1'],
    ]);
    const report = (await scene.gateway.get('/v1/audit/report', 'root')).body.inventory;
    expect(report.map(({ model_id, model_name }: JsonObject) => [model_id, model_name])).toEqual([
      ['default', 'echo-1'],
      ['same', 'echo-1'],
      ['other', 'echo-2'],
      ['fresh', 'echo-1'],
    ]);
    expect(await operations()).toMatchObject([
      {
        action: 'configuration.applied',
        actor: { principal_id: 'root' },
        before,
        after: body.active_digest,
        change: { digest: body.active_digest, sections: ['routes'] },
      },
    ]);
  });

  it('a paused run whose route changed is checked again, and without its route it waits', async () => {
    await start(pausingConfig(scene.upstream.url));
    const run_id = await pausedRun(scene.gateway, 'wire');
    await applied(
      pausingConfig(scene.upstream.url, {
        packs: { account: { type: 'rules', rules: [{ name: 'x', words: ['x'], verdict: 'block' }] } },
      }),
    );
    expect((await decide(scene.gateway, run_id, 'approved')).body.status).toBe('completed');
    const { events } = (await scene.gateway.get(`/v1/runs/${run_id}`)).body as { events: Event[] };
    const after = events.slice(events.findIndex(({ event_type }) => event_type === 'decision'));
    expect(judgedBy(after)[0]).toBe('ingress account');
    expect(after[1]?.data.config_digest).toBe(await digest());

    const waiting = await pausedRun(scene.gateway, 'wire');
    const { default: _, ...routes } = pausingConfig(scene.upstream.url).routes;
    const other = { provider: 'upstream', model: 'm-1', pipeline: { ingress: [], egress: [] } };
    await applied({ ...pausingConfig(scene.upstream.url), routes: { ...routes, other } });
    expect((await decide(scene.gateway, waiting, 'approved')).body.code).toBe('SVC-RUN-003');
    expect((await scene.gateway.get(`/v1/runs/${waiting}`)).body.status).toBe('paused');
  });
});

describe('guards and providers', () => {
  it('keep their state if nothing about them has changed', async () => {
    await start(counting());
    expect([await counted(), await counted()]).toEqual(['seen-1', 'seen-2']);
    const rules = { type: 'rules', rules: [{ name: 'no', words: ['never'], verdict: 'block' }] };
    const changes = { packs: { policy: rules }, providers: { local: { type: 'echo', region: 'us' } } };
    expect((await applied(counting({ timeout_ms: 4_000 }, changes))).changes).toEqual([
      { section: 'providers', name: 'local', change: 'changed' },
      { section: 'packs', name: 'policy', change: 'changed' },
      { section: 'packs', name: 'count', change: 'changed' },
    ]);
    expect(await counted()).toBe('seen-3');
    expect((await scene.gateway.chat('never')).body.choices[0].finish_reason).toBe('content_filter');
    await scene.gateway.logged('configuration_closed');
    expect([times('started_first'), times('closed_first')]).toEqual([1, 0]);
    await scene.gateway.stop();
    expect(times('closed_first')).toBe(1);
  });

  it('are replaced if an option or the value of a secret has changed', async () => {
    const token = { token: 'secret://file/token#value' };
    const config = counting();
    await start(config);
    await writeFile(join(scene.gateway.folder, 'token'), JSON.stringify({ value: 'one' }), { mode: 0o600 });
    await applied(counting({ label: 'second', ...token }));
    expect(await counted()).toBe('seen-1');
    await writeFile(join(scene.gateway.folder, 'token'), JSON.stringify({ value: 'two' }), { mode: 0o600 });
    const { body } = await apply();
    expect(body.changes).toEqual([{ section: 'packs', name: 'count', change: 'changed' }]);
    expect(body.active_digest).toBe(body.previous_digest);
    expect(await counted()).toBe('seen-1');
    expect((await apply()).body.changes).toEqual([]);
    expect(await counted()).toBe('seen-2');
    expect(await operations()).toHaveLength(2);
  });

  it('of a run in progress serve it to its end, and are closed afterwards', async () => {
    await start(counting());
    const before = await digest();
    const model = held(answer('the old one'));
    scene.upstream.respond(model.behaviour);
    const asked = scene.gateway.chat('hello', { model: 'slow' });
    await scene.upstream.received(1);

    const { active_digest } = await applied(
      counting({ label: 'second' }, { providers: { model: { type: 'openai', base_url: `${scene.upstream.url}/nowhere` } } }),
    );
    expect(await counted()).toBe('seen-1');
    expect([times('started_second'), times('closed_first'), times('configuration_closed')]).toEqual([1, 0, 0]);
    model.release();
    const { body, headers } = await asked;
    expect(body.choices[0].message.content).toBe('the old one');
    await scene.gateway.logged('configuration_closed');
    expect([times('closed_first'), times('closed_second')]).toEqual([1, 0]);

    const [evidence] = await evidenceOf(scene.gateway, headers.get('x-svc-run-id') ?? '');
    const states = ofType(evidence?.events as unknown as Event[], 'state');
    expect(new Set(states.map(({ data }) => data.config_digest))).toEqual(new Set([before]));
    expect(await digest()).toBe(active_digest);
  });
});

describe('keys', () => {
  it('of the file are added and removed', async () => {
    const key = `svc-${randomBytes(32).toString('hex')}`;
    const asked = () =>
      scene.gateway.request('GET', '/v1/models', { principal: null, headers: { authorization: `Bearer ${key}` } });
    await start(echoConfig());
    expect((await asked()).status).toBe(401);
    const { changes } = await applied(echoConfig(), [{ principal_id: 'dora', key_hash: hashOf(key) }]);
    expect(changes).toEqual([{ section: 'auth.keys', name: 'dora', change: 'added' }]);
    expect((await asked()).status).toBe(200);
    await applied(echoConfig());
    expect((await asked()).status).toBe(401);
  });
});

it('applies prices: later calls have these costs, and models without a price are listed', async () => {
  const routes = { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } } };
  await start(echoConfig({ routes }));
  const price = async (): Promise<unknown> => {
    const run_id = (await scene.gateway.chat('one two')).headers.get('x-svc-run-id');
    const { events } = (await scene.gateway.get(`/v1/runs/${run_id}`)).body;
    return ofType(events, 'provider_call')[0]?.data.price;
  };
  const unpriced = async () =>
    (await scene.gateway.get('/metrics')).text.includes('svc_model_unpriced{provider="local",model="echo-1"} 1');
  expect([await price(), await unpriced()]).toEqual([undefined, false]);
  const { changes } = await applied(echoConfig({ routes, prices: { catalogue: false, models: {} } }));
  expect(changes).toEqual([{ section: 'prices', name: 'prices', change: 'added' }]);
  expect([await price(), await unpriced()]).toEqual([undefined, true]);
  const rates = { input: 1_000_000, output: 0 };
  await applied(echoConfig({ routes, prices: { catalogue: false, models: { 'echo-1': rates } } }));
  expect(await price()).toEqual({ micro_usd: expect.any(Number), source: 'configuration' });
  expect(await unpriced()).toBe(false);
});

it('an endpoint that refused its key is called again as soon as another configuration is active', async () => {
  const openai = (api_key: string) => ({ type: 'openai', base_url: scene.upstream.url, api_key });
  const config = (api_key: string) =>
    echoConfig({
      providers: { dead: openai(api_key) },
      routes: { shared: { provider: 'dead', model: 'm', fallbacks: [{ provider: 'local', model: 'echo-1' }] } },
    });
  const outcomes = async () => {
    const { headers } = await scene.gateway.chat('hello', { model: 'shared' });
    const { events } = (await scene.gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    return ofType(events, 'provider_call').map(({ data }) => [data.provider, data.outcome]);
  };
  await start(config('old'));
  scene.upstream.respond(failure(401));
  expect(await outcomes()).toEqual([
    ['dead', 'configuration'],
    ['local', 'answered'],
  ]);
  expect(await outcomes()).toEqual([
    ['dead', 'skipped'],
    ['local', 'answered'],
  ]);
  await applied(config('new'));
  expect(times('circuit_closed')).toBe(1);
  expect(await outcomes()).toEqual([['dead', 'answered']]);
});
