import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: { anna: ['people'], ben: ['people'] } });
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] }, self_approval: false };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      routes: { default: route },
      auth: {
        oidc: [
          {
            issuer: issuer.url,
            audience: IssuerProcess.AUDIENCE,
            principal: 'email',
            roles: { claim: 'groups', map: { people: ['call', 'approve'] } },
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

/** As a person whom the issuer verified, under the address that it has for them now. */
async function post(sub: string, email: string, path: string, body: unknown): Promise<Answer> {
  const token = await issuer.sign(issuer.claims(sub, { email, email_verified: true }));
  return gateway.request('POST', path, { principal: null, headers: { authorization: `Bearer ${token}` }, body });
}

it('nobody approves their own request under another name', async () => {
  const messages = [{ role: 'user', content: 'wire transfer' }];
  const asked = await post('anna', 'anna@maiden.example', '/v1/runs', { messages });
  expect(asked.body.status).toBe('paused');
  const resume = `/v1/runs/${asked.body.run_id}/resume`;
  const approval = { decision: 'approved' };
  expect(await post('anna', 'anna@married.example', resume, approval)).toMatchObject({
    status: 403,
    body: { code: 'SVC-AUTH-003' },
  });
  expect(await post('ben', 'ben@example.com', resume, approval)).toMatchObject({ status: 200, body: { status: 'completed' } });
});
