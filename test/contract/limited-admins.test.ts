import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const REFUSED = { status: 403, body: { code: 'SVC-AUTH-002' } };
const FOR = { roles: ['call'], routes: ['default'] };
const ISSUER = {
  issuer: 'http://127.0.0.1:1',
  audience: 'svc',
  principal_prefix: 'corp:',
  roles: { claim: 'groups', map: { users: ['call'] } },
};

const ROUTE = { provider: 'local', model: 'echo-1' };
const CONFIG = echoConfig({
  server: { record_content: true },
  routes: { other: ROUTE },
  auth: { oidc: [ISSUER] },
});
const ADMINS = [
  { principal_id: 'ada', roles: ['admin', 'audit'] },
  { principal_id: 'eve', roles: ['admin', 'call'], routes: ['default'] },
  { principal_id: 'librarian', roles: ['admin', 'call', 'rag'], rag: { namespaces: ['handbook'] } },
];

let gateway: TestGateway;
beforeAll(async () => {
  const principals = [...ADMINS, { principal_id: 'bob', roles: ['call'] }, { principal_id: 'carl', roles: ['call'] }];
  gateway = await TestGateway.start({ here: true, config: CONFIG, principals });
});
afterAll(() => gateway.dispose());

const create = (body: JsonObject, principal = 'eve') => gateway.post('/v1/keys', { ...FOR, ...body }, principal);
const set = (kind: string, name: string, principal: string) =>
  gateway.request('PUT', `/v1/operations/states/${kind}/${name}`, { principal, body: { state: 'disabled' } });

describe('an admin of some routes', () => {
  it("cannot read others' runs with a key in their name", async () => {
    const { headers } = await gateway.chat('a secret of bob', { principal: 'bob' });
    expect(await create({ principal_id: 'bob' })).toMatchObject(REFUSED);
    const theirs = (await create({ principal_id: 'bob' }, 'ada')).body;
    // Revoking gains nothing, and is urgent.
    expect(await gateway.post(`/v1/keys/${theirs.id}/rotate`, {}, 'eve')).toMatchObject(REFUSED);
    expect((await gateway.request('DELETE', `/v1/keys/${theirs.id}`, { principal: 'eve' })).status).toBe(200);
    expect(await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}/request`, 'eve')).toMatchObject({ status: 403 });
  });

  it('may name itself, new principals, and principals whose keys it could all create, including revoked ones', async () => {
    expect((await create({ principal_id: 'eve' })).status).toBe(201);
    const made = await create({ principal_id: 'new' });
    expect(made.status).toBe(201);
    expect((await create({ principal_id: 'new' })).status).toBe(201);
    expect((await gateway.post(`/v1/keys/${made.body.id}/rotate`, {}, 'eve')).status).toBe(201);
    const wider = (await create({ principal_id: 'new', routes: ['other'] }, 'ada')).body;
    expect((await gateway.request('DELETE', `/v1/keys/${wider.id}`, { principal: 'ada' })).status).toBe(200);
    expect(await create({ principal_id: 'new' })).toMatchObject(REFUSED);
  });

  it('cannot name a principal with runs, even if no key of it is known', async () => {
    expect((await gateway.chat('hello', { principal: 'carl' })).status).toBe(200);
    await gateway.stop();
    const keys = ADMINS.map((admin) => ({
      ...admin,
      key_hash: `sha256:${createHash('sha256').update(gateway.key(admin.principal_id)).digest('hex')}`,
    }));
    await gateway.configure({ ...CONFIG, auth: { oidc: [ISSUER], keys } });
    await gateway.launch();
    expect(await create({ principal_id: 'carl' })).toMatchObject(REFUSED);
    expect((await create({ principal_id: 'nobody' })).status).toBe(201);
  });

  it('cannot name a principal that an issuer could name', async () => {
    expect(await create({ principal_id: 'corp:anna' })).toMatchObject(REFUSED);
    expect((await create({ principal_id: 'corp:anna' }, 'ada')).status).toBe(201);
  });
});

describe('an admin of some namespaces', () => {
  it('cannot apply a configuration, or stop anything but its routes', async () => {
    for (const body of [{}, { dry_run: true }])
      expect(await gateway.post('/v1/operations/configuration', body, 'librarian')).toMatchObject(REFUSED);
    for (const [kind, name] of [
      ['principal', 'bob'],
      ['provider', 'local'],
      ['guard', 'mask'],
    ] as const)
      expect(await set(kind, name, 'librarian')).toMatchObject(REFUSED);
    expect((await set('provider', 'local', 'ada')).status).toBe(200);
    expect((await set('route', 'other', 'librarian')).status).toBe(200);
    const { states } = (await gateway.get('/v1/operations/states', 'librarian')).body;
    expect(states.map(({ kind, name }: JsonObject) => [kind, name])).toEqual([['route', 'other']]);
  });
});
