import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const PRINCIPALS = [
  { principal_id: 'alice' },
  { principal_id: 'root', roles: ['admin', 'audit'] },
  { principal_id: 'narrow', roles: ['admin'], routes: ['default'] },
  ...['kept', 'raised', 'lowered', 'removed', 'one'].map((principal_id) => ({ principal_id })),
  { principal_id: 'tim', team: 'blue' },
];

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({ here: true, config: config([]), principals: PRINCIPALS, packages: ['counts'] });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const config = (limits: readonly JsonObject[], changes: Parameters<typeof echoConfig>[0] = {}) =>
  echoConfig({
    providers: { model: { type: 'openai', base_url: upstream.url } },
    routes: { slow: { provider: 'model', model: 'm-1', pipeline: { ingress: [], egress: [] } }, ...changes.routes },
    ...(changes.packs && { packs: changes.packs }),
    limits: [...limits],
  });

async function applied(changed: JsonObject): Promise<JsonObject[]> {
  const keys = PRINCIPALS.map((principal) => ({
    ...principal,
    key_hash: `sha256:${createHash('sha256').update(gateway.key(principal.principal_id)).digest('hex')}`,
  }));
  await gateway.configure({ ...changed, auth: { keys } });
  const { status, body } = await gateway.post('/v1/operations/configuration', {}, 'root');
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.changes;
}

/** What is left of the requests of a principal after one more; the code where it is refused. */
async function left(principal: string): Promise<string | null> {
  const { status, body, headers } = await gateway.chat('hello', { principal });
  return status === 200 ? headers.get('x-ratelimit-remaining-requests') : body.code;
}

const requests = (principal: string, requests_per_minute: number) => ({ principal, requests_per_minute });

it('limits are added, raised, lowered and removed at once, and usage of the others still counts', async () => {
  const four = ['kept', 'raised', 'lowered', 'removed'];
  expect(await left('kept')).toBeNull();
  await applied(config(four.map((principal) => requests(principal, 2))));
  for (const principal of four) expect([await left(principal), await left(principal)]).toEqual(['1', '0']);
  expect(await left('kept')).toBe('SVC-LIMIT-001');
  const changes = await applied(config([requests('kept', 2), requests('raised', 5), requests('lowered', 1)]));
  expect(changes).toEqual([
    { section: 'limits', name: 'principal raised', change: 'changed' },
    { section: 'limits', name: 'principal lowered', change: 'changed' },
    { section: 'limits', name: 'principal removed', change: 'removed' },
  ]);
  expect(await left('kept')).toBe('SVC-LIMIT-001');
  expect(await left('raised')).toBe('4');
  expect([await left('lowered'), await left('lowered')]).toEqual(['0', 'SVC-LIMIT-001']);
  expect([await left('removed'), await left('removed'), await left('removed')]).toEqual([null, null, null]);
});

it('requests in progress still count', async () => {
  const atOnce = (concurrent: number) => config([{ principal: 'one', concurrent }]);
  await applied(atOnce(5));
  const model = held(answer('at last'));
  upstream.respond(model.behaviour);
  const asked = upstream.received(upstream.requests.length + 1);
  const first = gateway.chat('hello', { principal: 'one', model: 'slow' });
  await asked;
  await applied(atOnce(1));
  expect(await left('one')).toBe('SVC-LIMIT-003');
  model.release();
  expect((await first).status).toBe(200);
  expect((await gateway.chat('hello', { principal: 'one' })).status).toBe(200);
});

it('metrics have the teams of the active configuration', async () => {
  const tokens = async () => (await gateway.get('/metrics', null)).text.match(/^svc_team_tokens_total.*$/gm)?.join() ?? '';
  await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], team: 'green' }, 'root');
  const { key } = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], team: 'green' }, 'root')).body;
  const ask = () =>
    gateway.request('POST', '/v1/chat/completions', {
      principal: null,
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'default', messages: [{ role: 'user', content: 'hello' }] },
    });
  await ask();
  expect(await tokens()).not.toContain('green');
  await applied(config([{ team: 'green', requests_per_minute: 100 }]));
  await ask();
  expect(await tokens()).toContain('team="green"');
});

describe('the record of a configuration', () => {
  const newest = async (): Promise<JsonObject> =>
    (await gateway.get('/v1/audit/operations', 'root')).body.records.findLast(
      ({ action }: JsonObject) => action === 'configuration.applied',
    );

  it('lists the changed packages of plugins', async () => {
    await applied(config([]));
    expect(Object.keys((await newest()).change as JsonObject).toSorted()).toEqual(['digest', 'sections']);
    const packs = { count: { type: 'counts' } };
    const counted = { counted: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['count'], egress: [] } } };
    await applied(config([], { packs, routes: counted }));
    const { plugins } = (await newest()).change as { plugins: JsonObject[] };
    expect(plugins).toContainEqual({ package: '@fixture/counts', version: '1.0.0' });
    expect(plugins.map((plugin) => plugin.package)).toContain('@svc/store-lmdb');

    // Another release is installed, and this process has the code of the first.
    const manifest = join(gateway.folder, 'node_modules', '@fixture', 'counts', 'package.json');
    const text = JSON.stringify({
      name: '@fixture/counts',
      version: '1.1.0',
      type: 'module',
      svc: { apiVersion: 1, plugins: [{ kind: 'guard', type: 'counts', entry: './index.js' }] },
    });
    await writeFile(manifest, text);
    const { status, body } = await gateway.post('/v1/operations/configuration', {}, 'root');
    expect([status, body.diagnostics[0].code]).toEqual([422, 'SVC-POL-007']);
    expect((await gateway.chat('hello', { model: 'counted' })).status).toBe(200);
  });

  it.each([
    ['POST', '/v1/operations/configuration', {}],
    ['PUT', '/v1/operations/states/route/default', { state: 'disabled' }],
    ['POST', '/v1/keys', { principal_id: 'app', roles: ['call'] }],
  ])('refuses a reason that cannot be recorded: %s %s', async (method, path, body) => {
    const before = (await gateway.get('/v1/audit/operations', 'root')).body.records.length;
    const refused = await gateway.request(method, path, { principal: 'root', body: { ...body, reason: '\ud800' } });
    expect([refused.status, refused.body.code]).toEqual([400, 'SVC-REQ-001']);
    expect((await gateway.get('/v1/audit/operations', 'root')).body.records).toHaveLength(before);
  });
});

it("a key limited to routes cannot change other routes' limits", async () => {
  const refused = await gateway.post('/v1/operations/configuration', {}, 'narrow');
  expect([refused.status, refused.body.code]).toEqual([403, 'SVC-AUTH-002']);
});
