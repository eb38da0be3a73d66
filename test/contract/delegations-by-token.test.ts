import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { evidenceOf } from './pausing-gateway.ts';

const STRANGER = { status: 403, body: { code: 'SVC-AUTH-003' } };

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  const leads = ['people', 'leads'];
  issuer = await IssuerProcess.start({ groups: { ben: leads, cleo: leads, dora: ['people'] } });
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      approvals: { reuse_for: '10m' },
      routes: {
        named: { ...route, approvers: ['corp:ben'] },
        group: { ...route, approvers: ['group/finance'] },
        two: { ...route, approvers: ['group/finance'], approvals: 2 },
        pair: { ...route, approvers: ['corp:ben', 'corp:cleo'], approvals: 2 },
        late: { ...route, approvers: ['corp:ben'], escalate: { after: '1s', approvers: ['corp:cleo'] } },
      },
      auth: {
        oidc: [
          {
            issuer: issuer.url,
            audience: IssuerProcess.AUDIENCE,
            principal_prefix: 'corp:',
            roles: { claim: 'groups', map: { people: ['call', 'approve'] } },
            groups: { claim: 'groups', map: { leads: ['finance'] } },
          },
        ],
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await issuer.stop();
});

async function post(sub: string, path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${await issuer.sign(issuer.claims(sub))}` };
  return gateway.request('POST', path, { principal: null, headers, body });
}
const approve = (sub: string, run_id: string, decision = 'approved'): Promise<Answer> =>
  post(sub, `/v1/runs/${run_id}/resume`, { decision });
const ask = async (route: string, content: string): Promise<Answer['body']> =>
  (await gateway.post('/v1/runs', { route, messages: [{ role: 'user', content }] })).body;

it("an approval by a member of a token's group counts at the next approval, and for a repeated request", async () => {
  const { run_id } = await ask('two', 'wire transfer of two');
  expect(await approve('ben', run_id)).toMatchObject({ body: { status: 'paused' } });
  expect(await approve('cleo', run_id)).toMatchObject({ body: { status: 'completed' } });
  expect((await ask('two', 'wire transfer of two')).status).toBe('completed');
});

it('a delegation by a token names the person, and passes on no group that only a token gives', async () => {
  const body = { to: 'corp:dora', for: '1h', reason: 'on leave' };
  const made = await post('ben', '/v1/approvals/delegations', body);
  expect(made).toMatchObject({ status: 201, body: { from: 'corp:ben', to: 'corp:dora' } });
  const named = await ask('named', 'wire transfer by name');
  expect(await approve('dora', named.run_id)).toMatchObject({ body: { status: 'completed' } });
  const [record] = await evidenceOf(gateway, named.run_id);
  expect(record?.approver).toMatchObject({
    principal_id: 'corp:dora',
    issuer: issuer.url,
    subject: 'dora',
    on_behalf_of: { delegation_id: made.body.id, principal_id: 'corp:ben', issuer: issuer.url, subject: 'ben' },
  });
  const { run_id } = await ask('group', 'wire transfer by group');
  expect(await approve('dora', run_id)).toMatchObject(STRANGER);
  expect(await approve('cleo', run_id)).toMatchObject({ body: { status: 'completed' } });
});

it('an approval by a delegate, even an earlier one of several, does not apply to repetitions; a denial does', async () => {
  await post('ben', '/v1/approvals/delegations', { to: 'corp:dora', for: '1h', reason: 'on leave' });
  const named = await ask('named', 'wire transfer of a delegate');
  expect(await approve('dora', named.run_id)).toMatchObject({ body: { status: 'completed' } });
  expect((await ask('named', 'wire transfer of a delegate')).status).toBe('paused');
  const pair = await ask('pair', 'wire transfer of a pair');
  expect(await approve('dora', pair.run_id)).toMatchObject({ body: { status: 'paused' } });
  expect(await approve('cleo', pair.run_id)).toMatchObject({ body: { status: 'completed' } });
  const again = await ask('pair', 'wire transfer of a pair');
  expect(again.status).toBe('paused');
  // With their own rights.
  for (const sub of ['ben', 'cleo']) await approve(sub, again.run_id);
  expect((await ask('pair', 'wire transfer of a pair')).status).toBe('completed');
  const denied = await ask('named', 'wire transfer to deny');
  expect(await approve('dora', denied.run_id, 'denied')).toMatchObject({ body: { status: 'denied' } });
  expect((await ask('named', 'wire transfer to deny')).status).toBe('denied');
});

it('an approval by an escalated approver does not apply to a repeated request, which waits for its own escalation', async () => {
  const { run_id } = await ask('late', 'wire transfer of an hour');
  await expect.poll(async () => (await approve('cleo', run_id)).status, { timeout: 10_000 }).toBe(200);
  const again = await ask('late', 'wire transfer of an hour');
  expect(again.status).toBe('paused');
  expect(await approve('ben', again.run_id)).toMatchObject({ body: { status: 'completed' } });
  expect((await ask('late', 'wire transfer of an hour')).status).toBe('completed');
});
