import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      routes: { other: { provider: 'local', model: 'echo-2', pipeline: { ingress: ['policy'], egress: [] } } },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', roles: ['approve'] },
      { principal_id: 'caller', roles: ['call'], routes: ['default'] },
      { principal_id: 'auditor', roles: ['audit'], routes: ['other'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const ENDPOINTS = [
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/models'],
  ['GET', '/v1/routes'],
  ['POST', '/v1/runs'],
  ['GET', '/v1/runs/x'],
  ['POST', '/v1/runs/x/resume'],
  ['GET', '/v1/runs/x/pending'],
  ['GET', '/v1/runs/x/response'],
  ['GET', '/v1/runs/x/request'],
  ['GET', '/v1/audit'],
  ['GET', '/v1/audit/ledger'],
  ['GET', '/v1/audit/inventory'],
  ['GET', '/v1/audit/report'],
  ['POST', '/v1/rag/index'],
  ['POST', '/v1/rag/query'],
  ['GET', '/v1/health'],
  ['GET', '/approvals'],
  ['GET', '/showcase'],
  ['GET', '/'],
  ['GET', '/no/such/path'],
] as const;

describe('5 Authentication', () => {
  it.each(ENDPOINTS)('1 %s %s requires a key, and answers SVC-AUTH-001 without or with an unknown one', async (method, path) => {
    const body = method === 'POST' ? { body: {} } : {};
    expect(await gateway.request(method, path, { principal: null, ...body })).toMatchObject({
      status: 401,
      body: { code: 'SVC-AUTH-001' },
    });
    const headers = { authorization: `Bearer svc-${'0'.repeat(64)}` };
    expect(await gateway.request(method, path, { principal: null, headers, ...body })).toMatchObject({
      status: 401,
      body: { code: 'SVC-AUTH-001' },
    });
  });

  it('3 each run records the principal of its caller', async () => {
    const { headers } = await gateway.chat('hello', { principal: 'caller' });
    expect((await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body.principal_id).toBe('caller');
  });

  it('5 a key may be bound to routes and roles', async () => {
    const refused = { status: 403, body: { code: 'SVC-AUTH-002' } };
    expect(await gateway.chat('hello', { principal: 'caller', model: 'other' })).toMatchObject(refused);
    expect(await gateway.chat('hello', { principal: 'bob' })).toMatchObject(refused);
    expect(await gateway.get('/v1/audit', 'caller')).toMatchObject(refused);
    expect(await gateway.get('/v1/audit', 'auditor')).toMatchObject(refused);
    expect((await gateway.get('/v1/audit?route=other', 'auditor')).status).toBe(200);
    expect(await gateway.get('/v1/audit/report', 'auditor')).toMatchObject(refused);
    expect((await gateway.get('/v1/audit?status=paused', 'bob')).status).toBe(200);
    expect(await gateway.get('/v1/audit', 'bob')).toMatchObject(refused);
    const models = (await gateway.get('/v1/models', 'caller')).body.data;
    expect(models.map(({ id }: { id: string }) => id)).toEqual(['default']);
  });
});
