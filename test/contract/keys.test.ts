import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      routes: { other: { provider: 'local', model: 'echo-2', pipeline: { ingress: ['policy'], egress: [] } } },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'ada', roles: ['admin'] },
      { principal_id: 'eve', roles: ['admin', 'call'], routes: ['default'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const FOR = { principal_id: 'app', roles: ['call'] };
const create = (body: object = FOR, principal = 'ada') => gateway.post('/v1/keys', body, principal);
const remove = (id: string, principal = 'ada') => gateway.request('DELETE', `/v1/keys/${id}`, { principal });
const listed = async (principal = 'ada') => (await gateway.get('/v1/keys', principal)).body.keys;
const ask = (key: string, model = 'default') =>
  gateway.request('POST', '/v1/chat/completions', {
    principal: null,
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages: [{ role: 'user', content: 'hello' }] },
  });

describe('keys at run time', () => {
  it('are shown once, and work within their grant', async () => {
    const { status, body } = await create({ ...FOR, routes: ['other'], team: 'blue', expires_at: '2999-01-01T00:00:00+01:00' });
    expect(status).toBe(201);
    const { key, ...facts } = body;
    expect(key).toMatch(/^svc-[0-9a-f]{64}$/);
    expect(facts).toMatchObject({
      ...FOR,
      routes: ['other'],
      team: 'blue',
      expires_at: '2998-12-31T23:00:00.000Z',
      created_by: 'ada',
    });
    expect((await listed()).find(({ id }: { id: string }) => id === facts.id)).toEqual({ ...facts, last_used_at: null });
    const answer = await ask(key, 'other');
    expect(answer.status).toBe(200);
    expect(await ask(key)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    const run_id = answer.headers.get('x-svc-run-id');
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.principal_id).toBe('app');
    const [used] = (await listed()).filter(({ id }: { id: string }) => id === facts.id);
    expect(Date.now() - Date.parse(used.last_used_at)).toBeLessThan(120_000);
    expect((await gateway.get('/v1/keys', 'ada')).text).not.toContain(key);
    expect(gateway.output).not.toContain(key);
  });

  it('are revoked for the next request, and stay listed', async () => {
    const { key, id } = (await create()).body;
    expect((await ask(key)).status).toBe(200);
    expect(await remove(id)).toMatchObject({ status: 200, body: { id, revoked_at: expect.any(String) } });
    expect(await ask(key)).toMatchObject({ status: 401, body: { code: 'SVC-AUTH-001' } });
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'SVC-KEY-002' } });
    expect(await remove('none')).toMatchObject({ status: 404, body: { code: 'SVC-KEY-001' } });
    expect(
      (await listed()).some((found: { id: string; revoked_at: string | null }) => found.id === id && found.revoked_at !== null),
    ).toBe(true);
  });

  it('are rotated with an overlap', async () => {
    const old = (await create()).body;
    const made = await gateway.post(`/v1/keys/${old.id}/rotate`, { reason: 'every quarter' }, 'ada');
    expect(made).toMatchObject({ status: 201, body: { ...FOR, rotated_from: old.id } });
    expect((await ask(old.key)).status).toBe(200);
    expect((await ask(made.body.key)).status).toBe(200);
    const [before] = (await listed()).filter(({ id }: { id: string }) => id === old.id);
    expect(Date.parse(before.expires_at) - Date.now()).toBeGreaterThan(86_300_000);
    const last = await gateway.post(`/v1/keys/${made.body.id}/rotate`, { overlap_s: 0 }, 'ada');
    expect((await ask(made.body.key)).status).toBe(401);
    expect((await ask(last.body.key)).status).toBe(200);
  });

  it('of approvers count as such', async () => {
    const run = { messages: [{ role: 'user', content: 'a wire transfer' }], approvers: ['judy'] };
    expect(await gateway.post('/v1/runs', run)).toMatchObject({ status: 400 });
    const { key } = (await create({ principal_id: 'judy', roles: ['approve'] })).body;
    const { run_id } = (await gateway.post('/v1/runs', run)).body;
    const headers = { authorization: `Bearer ${key}` };
    const decided = await gateway.request('POST', `/v1/runs/${run_id}/resume`, {
      principal: null,
      headers,
      body: { decision: 'approved' },
    });
    expect(decided.status).toBe(200);
  });

  it('are for admins, and a limited admin grants no more than it has', async () => {
    for (const answer of [await create(FOR, 'alice'), await gateway.get('/v1/keys'), await remove('none', 'alice')])
      expect(answer).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    const own = await create({ ...FOR, principal_id: 'new', routes: ['default'] }, 'eve');
    expect(own.status).toBe(201);
    const foreign = (await create({ ...FOR, routes: ['other'] })).body;
    for (const body of [FOR, { ...FOR, routes: ['other'] }, { ...FOR, roles: ['audit'], routes: ['default'] }])
      expect(await create(body, 'eve')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    expect((await remove(foreign.id, 'eve')).status).toBe(403);
    expect((await gateway.post(`/v1/keys/${foreign.id}/rotate`, {}, 'eve')).status).toBe(403);
    const ids = (await listed('eve')).map(({ id }: { id: string }) => id);
    expect(ids).toContain(own.body.id);
    expect(ids).not.toContain(foreign.id);
  });

  it.each([
    ['an unknown route', { ...FOR, routes: ['defualt'] }],
    ['no role', { ...FOR, roles: [] }],
    ['an unknown role', { ...FOR, roles: ['king'] }],
    ['no principal', { roles: ['call'] }],
    ['a key of its own', { ...FOR, key: 'svc-1' }],
    ['a past expiry', { ...FOR, expires_at: '2020-01-01T00:00:00Z' }],
    ['a moment that there was not', { ...FOR, expires_at: '2999-12-31T23:59:60Z' }],
    ['an expiry after the year 9999', { ...FOR, expires_at: '9999-12-31T23:59:59-23:59' }],
    ['an ill-formed reason', { ...FOR, reason: '\ud800' }],
  ])('with %s are refused', async (_what, body) => {
    const before = (await listed()).length;
    expect(await create(body)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(await listed()).toHaveLength(before);
  });

  it('names the nearest route for an unknown one', async () => {
    expect((await create({ ...FOR, routes: ['defualt'] })).body.detail).toContain('default');
  });

  it('are listed page by page, in the order in which they were created', async () => {
    const all = await listed();
    const found: unknown[] = [];
    let pages = 0;
    for (let path: string | null = '/v1/keys?limit=3'; path !== null; pages += 1) {
      const { headers, body }: Answer = await gateway.get(path, 'ada');
      found.push(...body.keys);
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(found).toEqual(all);
    expect(pages).toBe(Math.ceil(all.length / 3));
    const own = await gateway.get('/v1/keys?limit=1', 'eve');
    expect(own.body.keys).toEqual((await listed('eve')).slice(0, 1));
    // A parameter of the log's records, which is none of this list.
    expect(await gateway.get('/v1/keys?since_seq=3', 'ada')).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect((await gateway.get('/v1/keys?cursor=x', 'ada')).body.code).toBe('SVC-REQ-001');
    expect((await gateway.get('/v1/keys?limit=0', 'ada')).body.code).toBe('SVC-REQ-001');
  });

  it('survive a restart', async () => {
    const { key } = (await create()).body;
    const gone = (await create()).body;
    await remove(gone.id);
    const before = await listed();
    await gateway.stop();
    await gateway.launch();
    expect(await listed()).toEqual(before);
    expect([(await ask(key)).status, (await ask(gone.key)).status]).toEqual([200, 401]);
  });
});

describe('svc keys', () => {
  async function svc(args: readonly string[], principal = 'ada', url = gateway.url) {
    const env = { SVC_KEY: gateway.key(principal) };
    const { status: code, ...said } = await svcHere(['keys', ...args, '--server', url], { env });
    return { code, ...said };
  }

  it('creates, lists, rotates and revokes', async () => {
    const made = await svc(['create', 'cli', '--role', 'call', '--role', 'audit', '--route', 'default', '--team', 'blue']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [line = '', key = ''] = made.stdout.split('\n');
    const [id = ''] = line.split(' ');
    expect((await ask(key)).status).toBe(200);
    const list = await svc(['list', '--json']);
    expect(JSON.parse(list.stdout).keys.find((found: { id: string }) => found.id === id)).toMatchObject({
      roles: ['call', 'audit'],
      team: 'blue',
    });
    expect((await svc(['list'])).stdout).toContain(`${id} cli: roles call,audit; routes default; team blue`);
    const next = JSON.parse((await svc(['rotate', id, '--overlap-s', '0', '--json', '--reason', 'planned'])).stdout);
    expect([(await ask(key)).status, (await ask(next.key)).status]).toEqual([401, 200]);
    expect(await svc(['revoke', next.id, '--reason', 'lost'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(next.id),
    });
    expect((await ask(next.key)).status).toBe(401);
  });

  it('requires a role before it calls the server', async () => {
    expect(await svc(['create', 'cli'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--role') });
  });

  it('lists the keys of all pages', async () => {
    // In front of the gateway, so that its pages are small.
    const front = createServer(async ({ url = '', headers }, response) => {
      const path = url.includes('?') ? url : `${url}?limit=2`;
      const answer = await gateway.request('GET', path, {
        principal: null,
        headers: { authorization: headers.authorization ?? '' },
      });
      response.setHeader('link', answer.headers.get('link') ?? '').end(answer.text);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    try {
      const { port } = front.address() as AddressInfo;
      const list = await svc(['list', '--json'], 'ada', `http://127.0.0.1:${port}`);
      expect(JSON.parse(list.stdout)).toEqual({ keys: await listed() });
    } finally {
      front.close();
    }
  });

  it.each([
    [['revoke', 'none'], 'SVC-KEY-001'],
    [['rotate', 'none', '--overlap-s', 'long'], 'SVC-REQ-001'],
    [['create', 'a b', '--role', 'call'], 'SVC-REQ-001'],
  ])("%j prints the server's error", async (args, code) => {
    expect(await svc(args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(code) });
  });

  it('create requires a role before it calls the server', async () => {
    expect(await svc(['create', 'cli'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--role') });
  });

  it('says which role a key needs', async () => {
    expect((await svc(['list'], 'alice')).stderr).toContain('role admin');
  });
});
