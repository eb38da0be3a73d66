import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { DOCUMENTS, ragConfig } from './rag-gateway.ts';

const GROUPS = { anna: ['users'], carl: ['users'], ada: ['admins'], grace: ['admins'], rita: ['readers'] };
const TEAM_LIMIT = 4;

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: GROUPS });
  const budget = [{ scope: 'team', unit: 'requests', amount: 2, period: 'month' }];
  gateway = await TestGateway.start({
    here: true,
    config: ragConfig(
      {},
      {
        packs: { budget: { type: 'budget', limits: budget } },
        routes: {
          budgeted: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['budget'], egress: ['budget'] } },
        },
        operations: { two_person: true },
        limits: [
          { team: 'blue', requests_per_minute: TEAM_LIMIT },
          { key: '*', requests_per_minute: 1 },
        ],
        auth: {
          oidc: [
            {
              issuer: issuer.url,
              audience: IssuerProcess.AUDIENCE,
              roles: { claim: 'groups', map: { users: ['call'], admins: ['admin', 'call', 'rag'], readers: ['rag'] } },
              team: 'team',
            },
          ],
        },
      },
    ),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'ada', roles: ['admin'] },
      { principal_id: 'bob', roles: ['call'], team: 'blue' },
    ],
  });
});
afterAll(async () => {
  await gateway.dispose();
  await issuer.stop();
});

/** As a person whom the issuer verified. */
async function by(sub: string, method: string, path: string, body?: unknown, claims: JsonObject = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${await issuer.sign(issuer.claims(sub, claims))}` };
  return gateway.request(method, path, { principal: null, headers, ...(body === undefined ? {} : { body }) });
}

const chat = (sub: string, claims: JsonObject = {}, model = 'default', content = 'hello') =>
  by(sub, 'POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content }] }, claims);
const operations = async (): Promise<JsonObject[]> => (await gateway.get('/v1/audit/operations')).body.records;
const stateOf = (kind: string, name: string) => `/v1/operations/states/${kind}/${name}`;

it('every operation requested by token names issuer and subject', async () => {
  const before = (await operations()).length;
  const made = (await by('ada', 'POST', '/v1/keys', { principal_id: 'app', roles: ['call'] })).body;
  const rotated = (await by('ada', 'POST', `/v1/keys/${made.id}/rotate`, {})).body;
  await by('ada', 'DELETE', `/v1/keys/${rotated.id}`);
  await by('ada', 'PUT', stateOf('route', 'watched'), { state: 'disabled' });
  await by('ada', 'PUT', stateOf('route', 'watched'), { state: 'enabled' });
  await by('grace', 'PUT', stateOf('route', 'watched'), { state: 'enabled' });
  const { headers } = await gateway.chat('hello');
  await by('ada', 'DELETE', `/v1/runs/${headers.get('x-svc-run-id')}/content`);
  await gateway.post('/v1/rag/index', { namespace: 'handbook', documents: DOCUMENTS });
  expect((await by('rita', 'DELETE', '/v1/rag/namespaces/handbook')).status).toBe(200);
  await appendFile(join(gateway.folder, 'svc.yaml'), '\n');
  expect((await by('grace', 'POST', '/v1/operations/configuration', {})).status).toBe(200);
  const records = (await operations()).slice(before);
  expect(records.map(({ action, actor }) => [action, actor])).toEqual(
    (
      [
        ['key.created', 'ada'],
        ['key.rotated', 'ada'],
        ['key.revoked', 'ada'],
        ['state.changed', 'ada'],
        ['state.proposed', 'ada'],
        ['state.changed', 'grace'],
        ['content.erased', 'ada'],
        ['documents.erased', 'rita'],
        ['configuration.applied', 'grace'],
      ] as const
    ).map(([action, sub]) => [action, { principal_id: sub, issuer: issuer.url, subject: sub }]),
  );
});

it('one person is one operator, by key and by token', async () => {
  expect((await by('ada', 'PUT', stateOf('route', 'asked'), { state: 'read_only' })).status).toBe(200);
  expect((await by('ada', 'PUT', stateOf('route', 'asked'), { state: 'enabled' })).status).toBe(202);
  const again = await gateway.request('PUT', stateOf('route', 'asked'), { principal: 'ada', body: { state: 'enabled' } });
  expect([again.status, again.body.code]).toEqual([409, 'SVC-OPS-003']);
  expect((await by('grace', 'PUT', stateOf('route', 'asked'), { state: 'enabled' })).body).toMatchObject({ state: 'enabled' });
});

describe('a principal whom only the issuer knows', () => {
  it('can be disabled before its first request, and gets nothing with a valid token', async () => {
    expect((await by('ada', 'PUT', stateOf('principal', 'carl'), { state: 'disabled' })).status).toBe(200);
    expect((await chat('carl')).body.code).toBe('SVC-OPS-002');
    expect((await chat('anna')).status).toBe(200);
    await by('ada', 'PUT', stateOf('principal', 'carl'), { state: 'enabled' });
    expect((await by('grace', 'PUT', stateOf('principal', 'carl'), { state: 'enabled' })).status).toBe(200);
    expect((await chat('carl')).status).toBe(200);
  });

  it('cannot disable itself', async () => {
    expect((await by('ada', 'PUT', stateOf('principal', 'ada'), { state: 'disabled' })).body.code).toBe('SVC-OPS-003');
  });
});

describe('the team of a token', () => {
  it('shares the limits of the team with its keys; limits for a key do not apply to a token', async () => {
    const team = { team: 'blue' };
    const limited = await chat('anna', team);
    expect([limited.status, limited.headers.get('x-ratelimit-limit-requests')]).toEqual([200, String(TEAM_LIMIT)]);
    const others = [await chat('carl', team), await gateway.chat('hello', { principal: 'bob' }), await chat('anna', team)];
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await chat('carl', team)).body.code).toBe('SVC-LIMIT-001');
    const free = await chat('anna');
    expect([free.status, free.headers.get('x-ratelimit-limit-requests')]).toEqual([200, null]);
  });

  it('has the budget of the team, and its spend in usage and metrics', async () => {
    const team = { team: 'red' };
    const spent = [await chat('anna', team, 'budgeted'), await chat('carl', team, 'budgeted')].map(({ body }) => body);
    expect(spent.map(({ choices }) => choices[0].finish_reason)).toEqual(['stop', 'stop']);
    const over = await chat('anna', team, 'budgeted');
    expect(over.body.choices[0].finish_reason).toBe('content_filter');
    const { groups } = (await gateway.get('/v1/usage?since=2026-01-01&group_by=team')).body;
    const input = spent.reduce((sum, { usage }) => sum + usage.prompt_tokens, 0);
    expect(groups.find(({ name }: JsonObject) => name === 'red')).toMatchObject({ runs: 2, input_tokens: input });
    const { text } = await gateway.get('/metrics', null);
    // The configuration names the team blue, by a key and a limit, and no other.
    expect(text).toContain(`svc_team_tokens_total{team="other",kind="input"} ${input}`);
    expect(text).toContain('svc_team_tokens_total{team="blue",kind="input"}');
    expect(text).not.toContain('team="red"');
  });
});
