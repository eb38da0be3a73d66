import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveStream, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { chunk } from '../harness/stream-scene.ts';
import { decide, evidenceOf, pausedRun, pausingConfig, statusOf } from './pausing-gateway.ts';

const HELLO = [{ role: 'user', content: 'hello' }];
const PRINCIPALS = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'ada', roles: ['admin'] }];

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: pausingConfig(upstream.url, { routes: OPEN }),
    principals: PRINCIPALS,
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const OPEN = { live: { provider: 'upstream', model: 'm-1', pipeline: { ingress: [], egress: [] } } };

async function applied(routes: JsonObject, more: JsonObject = {}): Promise<void> {
  const keys = PRINCIPALS.map((principal) => ({
    ...principal,
    key_hash: `sha256:${createHash('sha256').update(gateway.key(principal.principal_id)).digest('hex')}`,
  }));
  await gateway.configure({ ...pausingConfig(upstream.url), ...more, routes, auth: { keys } });
  expect(await gateway.post('/v1/operations/configuration', {}, 'ada')).toMatchObject({ status: 200 });
}

const all = (): JsonObject => ({ ...pausingConfig(upstream.url).routes, ...OPEN });
const set = (kind: string, name: string, state: string) =>
  gateway.request('PUT', `/v1/operations/states/${kind}/${name}`, { principal: 'ada', body: { state } });
const create = async (more: JsonObject = {}) =>
  (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], ...more }, 'ada')).body;

function askWith(key: string, model: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}` };
  return gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body: { model, messages: HELLO } });
}

it('a run that was paused before a reload stays paused while its route is disabled, and while the route is missing', async () => {
  const run_id = await pausedRun(gateway, 'wire');
  const { live, default: kept } = all() as { live: JsonObject; default: JsonObject };
  await applied({ live, default: { ...kept, owner: 'another' } });
  await set('route', 'default', 'disabled');
  expect((await decide(gateway, run_id, 'approved')).body.code).toBe('SVC-OPS-001');

  await applied({ live });
  for (const decision of ['approved', 'denied'] as const)
    expect((await decide(gateway, run_id, decision)).body.code).toBe('SVC-RUN-003');
  // A state outlives the route, so that the route comes back as it was left; it can be undone without it.
  expect((await gateway.get('/v1/operations/states', 'ada')).body.states).toMatchObject([{ name: 'default', state: 'disabled' }]);
  await applied(all());
  expect((await decide(gateway, run_id, 'approved')).body.code).toBe('SVC-OPS-001');
  await applied({ live });
  expect((await set('route', 'default', 'enabled')).status).toBe(200);
  await applied(all());
  expect(await statusOf(gateway, run_id)).toBe('paused');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
});

it.each([
  ['route', 'old'],
  ['provider', 'older'],
])('a %s that a reload removed can be stopped while it has a run in progress', async (kind, name) => {
  const providers = { older: { type: 'openai', base_url: upstream.url } };
  const { providers: kept } = pausingConfig(upstream.url);
  const old = { provider: 'older', model: 'm-1', pipeline: { ingress: [], egress: [] } };
  await applied({ ...all(), old }, { providers: { ...kept, ...providers } });
  const { rest } = await streaming(gateway.key('alice'), 'old');
  await applied(all());
  expect((await askWith(gateway.key('alice'), 'old')).body.code).toBe('SVC-ROUTE-001');
  expect((await set(kind, 'olde', 'disabled')).status).toBe(404);
  expect((await set(kind, name, 'disabled')).status).toBe(200);
  expect(await rest()).toMatch(/SVC-OPS-001.*\[DONE\]/s);
  expect((await set(kind, name, 'enabled')).status).toBe(200);
});

/** A stream that has begun. `rest` reads it to its end. */
async function streaming(key: string, route: string) {
  const model = liveStream();
  upstream.respond(model.behaviour);
  const asking = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: route, messages: HELLO, stream: true }),
  });
  await model.send(chunk({ role: 'assistant', content: 'a piece' }));
  const reader = (await asking).body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  const rest = async (): Promise<string> => {
    let text = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
    return text;
  };
  return { model, reader, rest };
}

it('a revoked key ends nothing; its principal can be stopped even without a key', async () => {
  const { key, id } = await create({ principal_id: 'thief' });
  const { model, reader, rest } = await streaming(key, 'live');
  expect((await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' })).status).toBe(200);
  expect((await askWith(key, 'live')).status).toBe(401);
  await model.send(chunk({ content: 'another' }));
  expect((await reader?.read())?.value).toContain('another');

  expect((await set('principal', 'thief', 'disabled')).status).toBe(200);
  expect(await rest()).toMatch(/SVC-OPS-002.*\[DONE\]/s);
});

it('a key for a removed route has no access, and regains it when the route returns', async () => {
  const { key } = await create({ routes: ['live'] });
  const { default: kept } = all();
  await applied({ default: kept ?? null });
  expect((await askWith(key, 'live')).body.code).toBe('SVC-ROUTE-001');
  expect((await askWith(key, 'default')).body.code).toBe('SVC-AUTH-002');
  expect((await gateway.get('/v1/keys', 'ada')).body.keys.at(-1)).toMatchObject({ routes: ['live'] });
  await applied(all());
  expect((await askWith(key, 'live')).status).toBe(200);
});

it('usage continues across a rotation: together for principal and team, separately for each key', async () => {
  const old = await create({ principal_id: 'spender', team: 'violet' });
  await askWith(old.key, 'live');
  const made = (await gateway.post(`/v1/keys/${old.id}/rotate`, {}, 'ada')).body;
  await askWith(old.key, 'live');
  await askWith(made.key, 'live');
  const runsOf = async (group_by: string, name: string) => {
    const { groups } = (await gateway.get(`/v1/usage?since=2026-01-01&group_by=${group_by}`)).body;
    return groups.find((group: JsonObject) => group.name === name)?.runs;
  };
  expect(await runsOf('principal', 'spender')).toBe(3);
  expect(await runsOf('team', 'violet')).toBe(3);
  expect([await runsOf('key', old.id), await runsOf('key', made.id)]).toEqual([2, 1]);
});
