import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddings, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { lateBody } from '../harness/late-body.ts';
import { Person } from '../harness/person.ts';
import { until } from '../harness/until.ts';
import { DOCUMENTS, ragConfig } from './rag-gateway.ts';

const ALL = ['call', 'approve', 'audit', 'rag', 'admin'];
const ADA = { principal_id: 'ada', roles: ALL };
const BOSS = { principal_id: 'boss', roles: ALL };
const messages = [{ role: 'user', content: 'hello' }];
const CONFIGURATION = '/v1/operations/configuration';
/** Enough for all heads to be there. */
const TOKEN_S = 5;

/** What changes something, or pays for something. */
const REQUESTS: readonly (readonly [method: string, path: string, body: JsonObject])[] = [
  ['POST', '/v1/chat/completions', { model: 'default', messages }],
  ['POST', '/v1/messages', { model: 'default', max_tokens: 10, messages }],
  ['POST', '/v1/responses', { model: 'default', input: 'hello' }],
  ['POST', '/v1/embeddings', { model: 'vectors', input: 'hello' }],
  ['POST', '/v1/runs', { messages }],
  ['POST', '/v1/runs', { messages, background: true }],
  ['POST', '/v1/runs/{paused}/resume', { decision: 'approved' }],
  ['POST', '/v1/keys', { principal_id: 'app', roles: ['call'] }],
  ['PUT', '/v1/operations/states/route/default', { state: 'disabled' }],
  ['POST', CONFIGURATION, { reason: 'mine' }],
  ['POST', CONFIGURATION, { dry_run: true }],
  ['POST', '/v1/rag/index', { namespace: 'handbook', documents: DOCUMENTS }],
  ['POST', '/v1/rag/query', { namespace: 'handbook', query: 'holidays' }],
  ['POST', '/v1/rag/delete', { namespace: 'handbook', ids: ['x'] }],
];

let upstream: Upstream;
let issuer: IssuerProcess;
let gateway: TestGateway;
let paused: string;
beforeAll(async () => {
  upstream = await startUpstream();
  issuer = await IssuerProcess.start({ groups: { boss: ['bosses'] } });
  gateway = await TestGateway.start({ here: true, config: config([settings()]), principals: [ADA, BOSS] });
  const asked = { messages: [{ role: 'user', content: 'a wire transfer' }] };
  paused = (await gateway.post('/v1/runs', asked, 'ada')).body.run_id;
});
afterAll(async () => {
  await gateway.dispose();
  await issuer.stop();
  await upstream.close();
});

const settings = (more: JsonObject = {}): JsonObject => ({
  issuer: issuer.url,
  audience: IssuerProcess.AUDIENCE,
  roles: { claim: 'groups', map: { bosses: ALL } },
  clock_skew: '0s',
  ...issuer.client,
  ...more,
});
const config = (oidc: JsonObject[], keys: JsonObject[] = []) => {
  const providers = { upstream: { type: 'openai', base_url: upstream.url } };
  const routes = { vectors: { provider: 'upstream', model: 'm-1' } };
  return ragConfig({}, { providers, routes, auth: { keys, ...(oidc.length > 0 && { oidc }) } });
};

/** Puts these keys and issuers into force. */
async function applied(principals: readonly { principal_id: string; roles: string[] }[], oidc: JsonObject[]): Promise<void> {
  const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
  const keys = principals.map((each) => ({ ...each, key_hash: hashOf(gateway.key(each.principal_id)) }));
  await gateway.configure(config(oidc, keys));
  expect(await gateway.post(CONFIGURATION, {}, 'ada')).toMatchObject({ status: 200 });
}

const byKey = (key: string) => ({ authorization: `Bearer ${key}` });
const byToken = async (claims = {}) => byKey(await issuer.sign(issuer.claims('boss', claims)));
const disable = (state: string) =>
  gateway.request('PUT', '/v1/operations/states/principal/boss', { principal: 'ada', body: { state } });

/** All there is that a request could have changed. */
async function everything(): Promise<unknown> {
  const states = await gateway.get('/v1/operations/states', 'ada');
  const records = await gateway.get('/v1/audit/operations', 'ada');
  const runs = await gateway.get('/v1/audit?limit=1000', 'ada');
  const documents = await gateway.post('/v1/rag/query', { namespace: 'handbook', query: 'holidays' }, 'ada');
  return [states, records, runs, documents].map(({ status, body }) => ({ status, body }));
}

/** Sends all heads, ends what let them in, then sends the bodies. */
async function refused(headers: Record<string, string>, end: () => Promise<unknown>, status: number, code: string) {
  const sending = [];
  for (const [method, path, body] of REQUESTS) {
    const send = await lateBody(gateway.url + path.replace('{paused}', paused), method, headers);
    sending.push({ path, send: () => send(body) });
  }
  await end();
  const before = await everything();
  for (const { path, send } of sending) {
    const answer = await send();
    expect({ path, status: answer.status, code: errorOf(answer.body).code }).toEqual({ path, status, code });
  }
  expect(await everything()).toEqual(before);
}

/** As each protocol has it. */
const errorOf = (body: JsonObject): JsonObject => (typeof body.error === 'object' ? (body.error as JsonObject) : body);

it('nothing is done for a key that is revoked before the body arrives', async () => {
  const { key, id } = (await gateway.post('/v1/keys', BOSS, 'ada')).body;
  const revoke = () => gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' });
  await refused(byKey(key), revoke, 401, 'SVC-AUTH-001');
});

it.each(['key', 'token'])('nothing is done for a principal that is disabled before the body arrives, by %s', async (by) => {
  await refused(by === 'key' ? byKey(gateway.key('boss')) : await byToken(), () => disable('disabled'), 403, 'SVC-OPS-002');
  expect((await disable('enabled')).status).toBe(200);
});

it('nothing is done for a token that expires before the body arrives', async () => {
  const headers = await byToken({ exp: Math.ceil(Date.now() / 1000) + TOKEN_S });
  const isRefused = async () => (await gateway.request('GET', '/v1/routes', { principal: null, headers })).status === 401;
  await refused(headers, () => until(isRefused), 401, 'SVC-AUTH-001');
});

it.each([
  ['removed', () => []],
  ['changed', () => [settings({ team: 'team' })]],
])('nothing is done for a token or a session whose issuer is %s before the body arrives', async (_how, oidc) => {
  const person = new Person(gateway, 'boss');
  await person.signIn(issuer.url);
  const back = () => applied([ADA, BOSS], [settings()]);
  await back();
  for (const headers of [await byToken(), await person.headers()]) {
    await refused(headers, () => applied([ADA, BOSS], oidc()), 401, 'SVC-AUTH-001');
    await back();
  }
});

it('callers of an issuer that a reload does not change stay authenticated', async () => {
  const send = await lateBody(`${gateway.url}/v1/chat/completions`, 'POST', await byToken());
  await applied([ADA], [settings()]);
  expect((await send({ model: 'default', messages })).status).toBe(200);
  await applied([ADA, BOSS], [settings()]);
});

it('nothing is done for a session that ends before the body arrives', async () => {
  const person = new Person(gateway, 'boss');
  await person.signIn(issuer.url);
  const headers = await person.headers();
  await refused(headers, () => person.act('/auth/logout', { method: 'POST' }), 401, 'SVC-AUTH-001');
});

it('nothing is done for a key that is removed from the file before the body arrives', async () => {
  await refused(byKey(gateway.key('boss')), () => applied([ADA], [settings()]), 401, 'SVC-AUTH-001');
});

it('requests of a caller that keeps its access are served, by a key, a token and a session', async () => {
  await applied([ADA, BOSS], [settings()]);
  const person = new Person(gateway, 'boss');
  await person.signIn(issuer.url);
  const asked = { messages: [{ role: 'user', content: 'a wire transfer' }] };
  for (const headers of [byKey(gateway.key('boss')), await byToken(), await person.headers()]) {
    paused = (await gateway.post('/v1/runs', asked, 'ada')).body.run_id;
    for (const [method, path, body] of REQUESTS) {
      if (path === '/v1/embeddings') upstream.respond(embeddings());
      const send = await lateBody(gateway.url + path.replace('{paused}', paused), method, headers);
      const answer = await send(body);
      const isDone = answer.status === 200 || answer.status === 201;
      expect({ path, isDone }, JSON.stringify(answer.body)).toEqual({ path, isDone: true });
      const enable = { principal: 'ada', body: { state: 'enabled' } };
      await gateway.request('PUT', '/v1/operations/states/route/default', enable);
    }
  }
});
