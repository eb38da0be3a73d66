import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, Operation } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, failure, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { decide, type Event, evidenceOf, judgedBy, ofType, pausedRun, pausingConfig } from './pausing-gateway.ts';

const PATH = '/v1/operations/configuration';
const PRINCIPALS = [
  { principal_id: 'alice' },
  { principal_id: 'bob' },
  { principal_id: 'caller', roles: ['call'] },
  { principal_id: 'root', roles: ['admin', 'audit'] },
];

let upstream: Upstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function start(config: GatewayConfig): Promise<void> {
  gateway = await TestGateway.start({ here: true, config, principals: PRINCIPALS, packages: ['counts'] });
}

const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** Writes the file anew, with the keys of the start and these. */
async function write(config: JsonObject, more: readonly JsonObject[] = []): Promise<void> {
  const keys = PRINCIPALS.map((principal) => ({ ...principal, key_hash: hashOf(gateway.key(principal.principal_id)) }));
  await gateway.configure({ ...config, auth: { keys: [...keys, ...more] } });
}

const apply = (body: JsonObject = {}, principal = 'root') => gateway.post(PATH, body, principal);

async function applied(config: JsonObject, more?: readonly JsonObject[]) {
  await write(config, more);
  const { status, body } = await apply();
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const digest = async (): Promise<string> => (await gateway.get('/v1/health')).body.config_digest;
const fileDigest = async (): Promise<string> =>
  `sha256:${createHash('sha256')
    .update(await readFile(join(gateway.folder, 'svc.yaml')))
    .digest('hex')}`;

const models = async (): Promise<string[]> => (await gateway.get('/v1/models')).body.data.map(({ id }: JsonObject) => id);

const inventory = async (): Promise<JsonObject[]> =>
  (await gateway.ledger()).filter(({ record_type }) => record_type === 'model_inventory');

/** How many times an event of this name stands in the log. */
const times = (event: string): number => gateway.output.split(`"event":"${event}"`).length - 1;

/** The configurations that were put into force while it served. */
async function operations(): Promise<Operation[]> {
  const { body } = await gateway.get('/v1/audit/operations', 'root');
  return body.records.filter(({ action }: Operation) => action === 'configuration.applied');
}

const counting = (options: JsonObject = {}, more: Parameters<typeof echoConfig>[0] = {}): GatewayConfig =>
  echoConfig({
    ...more,
    packs: { count: { type: 'counts', ...options }, ...more.packs },
    providers: { model: { type: 'openai', base_url: upstream.url }, ...more.providers },
    routes: {
      counted: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['count'], egress: [] } },
      slow: { provider: 'model', model: 'm-1', pipeline: { ingress: ['count'], egress: [] } },
      ...more.routes,
    },
  });

/** What the guard `count` has checked so far, this included. */
async function counted(): Promise<string> {
  const { body } = await gateway.post('/v1/runs', { route: 'counted', messages: [{ role: 'user', content: 'one' }] });
  return ofType(body.events, 'verdict').map(({ data }) => String(data.code))[0] ?? '';
}

describe('routes', () => {
  it('tell stops in another form at once', async () => {
    const config = (stops: string) =>
      echoConfig({
        routes: { told: { provider: 'local', model: 'echo-1', stops, pipeline: { ingress: ['policy'], egress: [] } } },
      });
    const formOf = async () =>
      (await gateway.get('/v1/routes')).body.routes.find(({ name }: JsonObject) => name === 'told').stops;
    await start(config('text'));
    expect((await gateway.chat('forbidden', { model: 'told' })).status).toBe(200);
    expect(await formOf()).toBe('text');
    await applied(config('error'));
    expect((await gateway.chat('forbidden', { model: 'told' })).body.code).toBe('SVC-RUN-008');
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
    expect((await gateway.get(PATH, 'root')).body).toMatchObject({ active_digest: body.active_digest });
    expect((await models()).toSorted()).toEqual(['default', 'fresh', 'other', 'same']);
    expect((await gateway.chat('ACC-1', { model: 'fresh' })).body.choices[0].message.content).toBe('echo: <ACCOUNT>');
    expect((await gateway.chat('ACC-1', { model: 'old' })).body.code).toBe('SVC-ROUTE-001');

    expect((await inventory()).slice(records).map(({ model_id, model_name }) => [model_id, model_name])).toEqual([
      ['other', 'echo-2'],
      ['fresh', 'echo-1'],
    ]);
    const report = (await gateway.get('/v1/audit/report', 'root')).body.inventory;
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

  it('a paused run whose route changed is asked again, and without its route it waits', async () => {
    await start(pausingConfig(upstream.url));
    const run_id = await pausedRun(gateway, 'wire');
    await applied(
      pausingConfig(upstream.url, {
        packs: { account: { type: 'rules', rules: [{ name: 'x', words: ['x'], verdict: 'block' }] } },
      }),
    );
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body as { events: Event[] };
    const after = events.slice(events.findIndex(({ event_type }) => event_type === 'decision'));
    expect(judgedBy(after)[0]).toBe('ingress account');
    expect(after[1]?.data.config_digest).toBe(await digest());

    const waiting = await pausedRun(gateway, 'wire');
    const { default: _, ...routes } = pausingConfig(upstream.url).routes;
    const other = { provider: 'upstream', model: 'm-1', pipeline: { ingress: [], egress: [] } };
    await applied({ ...pausingConfig(upstream.url), routes: { ...routes, other } });
    expect((await decide(gateway, waiting, 'approved')).body.code).toBe('SVC-RUN-003');
    expect((await gateway.get(`/v1/runs/${waiting}`)).body.status).toBe('paused');
  });
});

describe('guards and providers', () => {
  it('keep their state where nothing that they are made of has changed', async () => {
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
    expect((await gateway.chat('never')).body.choices[0].finish_reason).toBe('content_filter');
    await gateway.logged('configuration_closed');
    expect([times('started_first'), times('closed_first')]).toEqual([1, 0]);
    await gateway.stop();
    expect(times('closed_first')).toBe(1);
  });

  it('are replaced where an option or the value of a secret is another', async () => {
    const token = { token: 'secret://file/token#value' };
    const config = counting();
    await start(config);
    await writeFile(join(gateway.folder, 'token'), JSON.stringify({ value: 'one' }), { mode: 0o600 });
    await applied(counting({ label: 'second', ...token }));
    expect(await counted()).toBe('seen-1');
    await writeFile(join(gateway.folder, 'token'), JSON.stringify({ value: 'two' }), { mode: 0o600 });
    const { body } = await apply();
    expect(body.changes).toEqual([{ section: 'packs', name: 'count', change: 'changed' }]);
    expect(body.active_digest).toBe(body.previous_digest);
    expect(await counted()).toBe('seen-1');
    expect((await apply()).body.changes).toEqual([]);
    expect(await counted()).toBe('seen-2');
    expect(await operations()).toHaveLength(2);
  });

  it('of a run under way serve it to its end, and are closed after it', async () => {
    await start(counting());
    const before = await digest();
    const model = held(answer('the old one'));
    upstream.respond(model.behaviour);
    const asked = gateway.chat('hello', { model: 'slow' });
    await upstream.received(1);

    const { active_digest } = await applied(
      counting({ label: 'second' }, { providers: { model: { type: 'openai', base_url: `${upstream.url}/nowhere` } } }),
    );
    expect(await counted()).toBe('seen-1');
    expect([times('started_second'), times('closed_first'), times('configuration_closed')]).toEqual([1, 0, 0]);
    model.release();
    const { body, headers } = await asked;
    expect(body.choices[0].message.content).toBe('the old one');
    await gateway.logged('configuration_closed');
    expect([times('closed_first'), times('closed_second')]).toEqual([1, 0]);

    const [evidence] = await evidenceOf(gateway, headers.get('x-svc-run-id') ?? '');
    const states = ofType(evidence?.events as unknown as Event[], 'state');
    expect(new Set(states.map(({ data }) => data.config_digest))).toEqual(new Set([before]));
    expect(await digest()).toBe(active_digest);
  });
});

describe('keys', () => {
  it('of the file are added and removed', async () => {
    const key = `svc-${randomBytes(32).toString('hex')}`;
    const asked = () => gateway.request('GET', '/v1/models', { principal: null, headers: { authorization: `Bearer ${key}` } });
    await start(echoConfig());
    expect((await asked()).status).toBe(401);
    const { changes } = await applied(echoConfig(), [{ principal_id: 'dora', key_hash: hashOf(key) }]);
    expect(changes).toEqual([{ section: 'auth.keys', name: 'dora', change: 'added' }]);
    expect((await asked()).status).toBe(200);
    await applied(echoConfig());
    expect((await asked()).status).toBe(401);
  });
});

describe('nothing changes', () => {
  const refused = async (file: string | JsonObject) => {
    const before = await digest();
    if (typeof file === 'string') await writeFile(join(gateway.folder, 'svc.yaml'), file);
    else await write(file);
    const { status, body } = await apply();
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SVC-CONF-001' });
    expect(await digest()).toBe(before);
    return body.diagnostics.map(({ code, severity, path }: JsonObject) => [code, severity, path]);
  };

  it('for a file with errors, or with changes that take a restart', async () => {
    await start(counting());
    expect(await refused('routes: [')).toMatchObject([['SVC-POL-001', 'error', '']]);
    const unknown = { r: { provider: 'nowhere', model: 'm', pipeline: { ingress: [], egress: [] } } };
    expect(await refused(counting({ label: 'second' }, { routes: unknown }))).toEqual([
      ['SVC-POL-002', 'error', 'routes.r.provider'],
    ]);
    const restart = {
      ...counting(),
      server: { keep_alive_ms: 7_000 },
      runs: { result_ttl: '1h' },
      exporters: [{ type: 'jsonl', path: 'out' }],
    };
    expect((await refused(restart)).toSorted()).toEqual([
      ['SVC-POL-012', 'error', 'exporters'],
      ['SVC-POL-012', 'error', 'runs'],
      ['SVC-POL-012', 'error', 'server'],
    ]);
    expect(await counted()).toBe('seen-1');
    // What was made of a refused file is closed again, what is in force is not.
    expect([times('closed_second'), times('closed_first')]).toEqual([1, 0]);
    expect(await operations()).toEqual([]);
  });

  it('for what is no regular file, and the next apply does not wait for it', async () => {
    await start(echoConfig());
    const path = join(gateway.folder, 'svc.yaml');
    await rm(path);
    execFileSync('mkfifo', [path]);
    expect(await apply()).toMatchObject({ status: 422, body: { code: 'SVC-CONF-001', diagnostics: [] } });
    await rm(path);
    await applied(echoConfig());
  });

  it('for a secret in what is no regular file, and the next apply does not wait for it', async () => {
    await start(counting());
    const path = join(gateway.folder, 'token');
    execFileSync('mkfifo', [path]);
    // More than there are threads for files.
    for (let turn = 0; turn < 5; turn += 1)
      expect(await refused(counting({ label: 'second', token: `secret://file/token#value${turn}` }))).toEqual([
        ['SVC-POL-008', 'error', 'packs.count.token'],
      ]);
    await rm(path);
    await writeFile(path, JSON.stringify({ value: 'one' }), { mode: 0o600 });
    await applied(counting({ label: 'second', token: 'secret://file/token#value' }));
  });

  it('where a guard does not start', async () => {
    await start(counting());
    expect(await refused(counting({ label: 'second', starts: false }))).toEqual([]);
    expect([times('closed_second'), times('closed_first')]).toEqual([1, 0]);
    expect(await counted()).toBe('seen-1');
    expect(await operations()).toEqual([]);
  });

  it('with dry_run, which tells what would', async () => {
    await start(counting());
    const before = await digest();
    await write(counting({ label: 'second' }));
    const { status, body } = await apply({ dry_run: true });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { active_digest: before, file_digest: await fileDigest(), changes: [{ section: 'packs', name: 'count' }] },
    });
    expect(await digest()).toBe(before);
    expect([times('started_second'), times('closed_second'), times('closed_first')]).toEqual([0, 1, 0]);
  });

  it('for a key without the role admin', async () => {
    await start(echoConfig());
    await write(echoConfig({ routes: { more: { provider: 'local', model: 'm', pipeline: { ingress: [], egress: [] } } } }));
    expect((await apply({}, 'alice')).body.code).toBe('SVC-AUTH-002');
    expect((await gateway.get(PATH, 'caller')).status).toBe(403);
    expect((await apply({ unknown: 1 })).body.code).toBe('SVC-REQ-001');
    expect(await models()).toEqual(['default']);
  });

  it('of what a restart would do with the same file', async () => {
    await start(counting());
    const { active_digest } = await applied(counting({ label: 'second' }));
    await gateway.stop();
    await gateway.launch();
    expect(await digest()).toBe(active_digest);
    expect(times('configuration_applied')).toBe(1);
  });
});

describe('a start with another file than the one on record', () => {
  const more = (name: string) =>
    echoConfig({ routes: { [name]: { provider: 'local', model: 'm', pipeline: { ingress: [], egress: [] } } } });
  /** What was said so far; an order waits for what the start does. */
  const told = async (): Promise<JsonObject[]> => {
    expect((await apply({ dry_run: true })).status).toBe(200);
    const lines = gateway.output.split('\n').filter((line) => line.includes('"event":"configuration_differs"'));
    return lines.map((line) => JSON.parse(line));
  };
  const restart = async (): Promise<void> => {
    await gateway.stop();
    await gateway.launch();
  };

  it('is told once, and the file counts', async () => {
    await start(echoConfig());
    const first = await digest();
    await restart();
    expect(await told()).toEqual([]);
    await write(more('second'));
    await restart();
    const second = await digest();
    expect(await told()).toMatchObject([{ applied_digest: first, file_digest: second, config_digest: second }]);
    await restart();
    expect(await told()).toHaveLength(1);
    expect(await digest()).toBe(second);
  });

  it('is told of one that was applied while it served, too', async () => {
    await start(echoConfig());
    const { active_digest } = await applied(more('second'));
    await restart();
    expect(await told()).toEqual([]);
    await write(more('third'));
    await restart();
    expect(await told()).toMatchObject([{ applied_digest: active_digest, file_digest: await digest() }]);
    await restart();
    expect(await told()).toHaveLength(1);
  });

  it('is told of a file that cannot be read any more', async () => {
    await start(echoConfig());
    const first = await digest();
    const model = held(answer('now'));
    upstream.respond(model.behaviour);
    await write(counting({ waits_for: upstream.url }));
    await gateway.stop();
    const launched = gateway.launch();
    await upstream.received(1);
    await rm(join(gateway.folder, 'svc.yaml'));
    model.release();
    await launched;
    await gateway.logged('configuration_differs');
    await write(counting({ waits_for: upstream.url }));
    expect(await told()).toMatchObject([{ applied_digest: first, file_digest: null, config_digest: await digest() }]);
  });
});

it('puts prices into force: calls that follow cost them, and models without one are known', async () => {
  const routes = { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } } };
  await start(echoConfig({ routes }));
  const price = async (): Promise<unknown> => {
    const run_id = (await gateway.chat('one two')).headers.get('x-svc-run-id');
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    return ofType(events, 'provider_call')[0]?.data.price;
  };
  const unpriced = async () =>
    (await gateway.get('/metrics')).text.includes('svc_model_unpriced{provider="local",model="echo-1"} 1');
  expect([await price(), await unpriced()]).toEqual([undefined, false]);
  const { changes } = await applied(echoConfig({ routes, prices: { catalogue: false, models: {} } }));
  expect(changes).toEqual([{ section: 'prices', name: 'prices', change: 'added' }]);
  expect([await price(), await unpriced()]).toEqual([undefined, true]);
  const rates = { input: 1_000_000, output: 0 };
  await applied(echoConfig({ routes, prices: { catalogue: false, models: { 'echo-1': rates } } }));
  expect(await price()).toEqual({ micro_usd: expect.any(Number), source: 'configuration' });
  expect(await unpriced()).toBe(false);
});

it('an endpoint that refused its key is asked again as soon as another configuration is in force', async () => {
  const openai = (api_key: string) => ({ type: 'openai', base_url: upstream.url, api_key });
  const config = (api_key: string) =>
    echoConfig({
      providers: { dead: openai(api_key) },
      routes: { shared: { provider: 'dead', model: 'm', fallbacks: [{ provider: 'local', model: 'echo-1' }] } },
    });
  const outcomes = async () => {
    const { headers } = await gateway.chat('hello', { model: 'shared' });
    const { events } = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    return ofType(events, 'provider_call').map(({ data }) => [data.provider, data.outcome]);
  };
  await start(config('old'));
  upstream.respond(failure(401));
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
