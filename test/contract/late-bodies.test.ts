import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { lateBody } from '../harness/late-body.ts';

const BOSS = { principal_id: 'boss', roles: ['admin'] };
const ADA = { principal_id: 'ada', roles: ['admin', 'audit'] };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig(), principals: [ADA, BOSS] });
  await configure([ADA, BOSS]);
});
afterAll(() => gateway.dispose());

/** A file that is not in force yet. */
const configure = (principals: readonly { principal_id: string }[]) => {
  const hashOf = (principal_id: string) => createHash('sha256').update(gateway.key(principal_id)).digest('hex');
  const keys = principals.map((principal) => ({ ...principal, key_hash: `sha256:${hashOf(principal.principal_id)}` }));
  const routes = { another: { provider: 'local', model: 'echo-1' } };
  return gateway.configure(echoConfig({ auth: { keys }, routes }));
};
const byKey = (key: string) => ({ authorization: `Bearer ${key}` });
const create = async () => (await gateway.post('/v1/keys', BOSS, 'ada')).body;
const recorded = async () => JSON.parse((await gateway.get('/v1/audit/operations', 'ada')).text).records.length;
const disable = (state: string) =>
  gateway.request('PUT', '/v1/operations/states/principal/boss', { principal: 'ada', body: { state } });

describe.each([
  ['POST', '/v1/keys', BOSS],
  ['PUT', '/v1/operations/states/route/default', { state: 'disabled' }],
  ['POST', '/v1/operations/configuration', { reason: 'mine' }],
] as const)('whoever was let in and takes its time with the body of %s %s', (method, path, body) => {
  it('changes nothing once its key is revoked', async () => {
    const { key, id } = await create();
    const send = await lateBody(gateway.url + path, method, byKey(key));
    expect((await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' })).status).toBe(200);
    const before = await recorded();
    expect(await send(body)).toMatchObject({ status: 401, body: { code: 'SVC-AUTH-001' } });
    expect(await recorded()).toBe(before);
  });

  it('changes nothing once it is disabled', async () => {
    const send = await lateBody(gateway.url + path, method, byKey((await create()).key));
    expect((await disable('disabled')).status).toBe(200);
    const before = await recorded();
    expect(await send(body)).toMatchObject({ status: 403, body: { code: 'SVC-OPS-002' } });
    expect(await recorded()).toBe(before);
    expect((await disable('enabled')).status).toBe(200);
  });
});

it('a key that a reload removes from the file changes nothing with a body that comes after it', async () => {
  const send = await lateBody(`${gateway.url}/v1/keys`, 'POST', byKey(gateway.key('boss')));
  await configure([ADA]);
  expect(await gateway.post('/v1/operations/configuration', {}, 'ada')).toMatchObject({ status: 200 });
  const before = await recorded();
  expect(await send(BOSS)).toMatchObject({ status: 401, body: { code: 'SVC-AUTH-001' } });
  expect(await recorded()).toBe(before);
});
