import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { Person } from '../harness/person.ts';

const PATH = '/v1/operations/configuration';
const WIRE = [{ role: 'user', content: 'a wire transfer' }];

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: { anna: ['users'], ben: ['bosses'] } });
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterAll(async () => {
  await gateway.dispose();
  await issuer.stop();
});

const settings = (map: JsonObject, more: JsonObject = {}): JsonObject => ({
  issuer: issuer.url,
  audience: IssuerProcess.AUDIENCE,
  principal_prefix: 'corp:',
  roles: { claim: 'groups', map },
  ...more,
});

/** Puts these issuers into force. Resolves to what has changed. */
async function applied(oidc: JsonObject[] | undefined, config = echoConfig()): Promise<[string, string, string][]> {
  const keys = [...gateway.keys].map(([principal_id, key]) => ({
    principal_id,
    roles: ['call', 'approve', 'audit', 'admin'],
    key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}`,
  }));
  await gateway.configure({ ...config, auth: { keys, ...(oidc && { oidc }) } });
  const { status, body } = await gateway.post(PATH, {});
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.changes.map(({ section, name, change }: JsonObject) => [section, name, change]);
}

async function ask(sub: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${await issuer.sign(issuer.claims(sub))}` };
  const body = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };
  return gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body });
}

it('issuers are added, changed and removed while serving, and keep their loaded keys', async () => {
  // The keys of the start have no admin: this is a restart, as after `auth.keys` was edited by hand.
  await gateway.configure({
    ...echoConfig(),
    auth: {
      keys: [...gateway.keys].map(([principal_id, key]) => ({
        principal_id,
        roles: ['call', 'approve', 'audit', 'admin'],
        key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}`,
      })),
    },
  });
  await gateway.stop();
  await gateway.launch();
  expect((await ask('anna')).status).toBe(401);
  const asked = { messages: WIRE, approvers: ['corp:ben'] };
  expect((await gateway.post('/v1/runs', asked)).body.code).toBe('SVC-REQ-001');

  expect(await applied([settings({ users: ['call'], bosses: ['approve'] })])).toEqual([['auth.oidc', issuer.url, 'added']]);
  expect((await ask('anna')).status).toBe(200);
  expect((await ask('ben')).status).toBe(403);
  // An approver of the request, and one of a route, whom only the issuer knows.
  expect((await gateway.post('/v1/runs', asked)).body.status).toBe('paused');

  // Whom it could name can be stopped before anybody has seen them; a slip of the pen is no principal.
  const set = (name: string, state: string) =>
    gateway.request('PUT', `/v1/operations/states/principal/${name}`, { body: { state } });
  expect((await set('corp:anna', 'disabled')).status).toBe(200);
  expect((await ask('anna')).body.code).toBe('SVC-OPS-002');
  for (const nobody of ['crop:anna', 'corp:']) expect((await set(nobody, 'disabled')).body.code).toBe('SVC-OPS-004');

  // Nobody answers there any more: who had keys of its own goes on with them.
  await issuer.stop();
  expect(await applied([settings({ users: ['audit'], bosses: ['call'] })])).toEqual([['auth.oidc', issuer.url, 'changed']]);
  expect((await set('corp:anna', 'enabled')).status).toBe(200);
  expect((await ask('anna')).status).toBe(403);
  expect((await ask('ben')).status).toBe(200);
  expect((await gateway.post('/v1/runs', asked)).body.code).toBe('SVC-REQ-001');

  // What is checked in another way is another issuer, and has no keys.
  await applied([settings({ users: ['call'] }, { clock_skew: '10s' })]);
  expect((await ask('anna')).body.code).toBe('SVC-AUTH-004');
  expect((await gateway.chat('hello')).status).toBe(200);

  expect(await applied(undefined)).toEqual([['auth.oidc', issuer.url, 'removed']]);
  expect((await ask('anna')).body.code).toBe('SVC-AUTH-001');
  // A state that there was can be changed all the same; no other name of the issuer is one.
  expect((await set('corp:anna', 'disabled')).status).toBe(200);
  expect((await set('corp:anna', 'enabled')).status).toBe(200);
  expect((await set('corp:carl', 'disabled')).body.code).toBe('SVC-OPS-004');
  await issuer.start();
});

it.each([
  ['claims fit no more', () => [settings({ users: ['call'] }, { ...issuer.client, principal: 'nickname' })]],
  ['issuer is gone', () => [settings({ users: ['call'] }, { ...issuer.client, issuer: 'http://127.0.0.1:1' })]],
])('a session whose %s can be ended, and the person can sign in again', async (_what, oidc) => {
  const fitting = [settings({ users: ['call'] }, issuer.client)];
  await applied(fitting);
  const person = new Person(gateway, 'anna');
  await person.signIn(issuer.url);
  const { csrf } = (await person.ask('/auth/session')).body;
  const thief = new Person(gateway, 'anna');
  thief.cookies.set('svc_session', person.cookies.get('svc_session') ?? '');
  expect((await thief.ask('/v1/routes')).status).toBe(200);

  await applied(oidc());
  expect(await person.ask('/v1/routes')).toMatchObject({ status: 401 });
  expect(await person.ask('/auth/session')).toMatchObject({ status: 200, body: { caller: null, csrf: null } });
  const headers = { 'x-svc-csrf': String(csrf) };
  expect((await person.ask('/auth/logout', { method: 'POST', headers })).status).toBe(200);
  await applied(fitting);
  expect((await thief.ask('/v1/routes')).status).toBe(401);
});

it('a refused file does not change issuers', async () => {
  await applied([settings({ users: ['call'] })]);
  expect((await ask('anna')).status).toBe(200);
  await gateway.configure({ ...echoConfig(), auth: { oidc: [settings({ users: ['king'] })] } });
  expect((await gateway.post(PATH, {})).body.code).toBe('SVC-CONF-001');
  expect((await ask('anna')).status).toBe(200);
});
