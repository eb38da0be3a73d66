import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess, newKey } from '../harness/issuer-process.ts';

const GROUPS = {
  gateway: ['svc-users'],
  anna: ['svc-users', 'team-a'],
  ben: ['svc-users', 'svc-approvers', 'svc-auditors', 'everything'],
  stranger: ['another-group', '__proto__', 'constructor'],
};

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: GROUPS });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      routes: {
        other: { provider: 'local', model: 'echo-2' },
        decided: { provider: 'local', model: 'echo-1', approvers: ['corp:ben'], pipeline: { ingress: ['policy'], egress: [] } },
      },
      auth: { oidc: [settingsOf(issuer)] },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await issuer.stop();
});

function settingsOf({ url }: IssuerProcess) {
  return {
    issuer: url,
    audience: IssuerProcess.AUDIENCE,
    principal_prefix: 'corp:',
    roles: {
      claim: 'groups',
      map: { 'svc-users': ['call'], 'svc-approvers': ['call', 'approve'], 'svc-auditors': ['audit'] },
    },
    routes: {
      claim: 'groups',
      map: { 'team-a': ['default'], everything: ['default', 'other', 'decided'], 'svc-users': ['default'] },
    },
    team: 'team',
  };
}

const ask = (token: string, model = 'default', headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.request('POST', '/v1/chat/completions', {
    principal: null,
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: { model, messages: [{ role: 'user', content: 'hello' }] },
  });
const now = (): number => Math.floor(Date.now() / 1000);
const refused = { status: 401, body: { code: 'SVC-AUTH-001' } };
const forbidden = { status: 403, body: { code: 'SVC-AUTH-002' } };

describe('a token of the issuer', () => {
  it('that the provider itself issued is accepted, and the run names the caller', async () => {
    const answer = await ask(await issuer.token());
    expect(answer.status).toBe(200);
    const runs = await gateway.get(`/v1/runs/${answer.headers.get('x-svc-run-id')}`);
    expect(runs.body.principal_id).toBe('corp:gateway');
  });

  it('is accepted as x-api-key, and keys keep working', async () => {
    const token = await issuer.sign(issuer.claims('anna'));
    const body = { model: 'default', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
    expect(
      await gateway.request('POST', '/v1/messages', { principal: null, headers: { 'x-api-key': token }, body }),
    ).toMatchObject({
      status: 200,
    });
    expect((await gateway.chat('hello')).status).toBe(200);
  });

  it('has only the roles and routes that its claims map to', async () => {
    const anna = await issuer.sign(issuer.claims('anna'));
    expect(await ask(anna, 'other')).toMatchObject(forbidden);
    const headers = { authorization: `Bearer ${anna}` };
    expect(await gateway.request('GET', '/v1/audit', { principal: null, headers })).toMatchObject(forbidden);
    const ben = await issuer.sign(issuer.claims('ben'));
    expect((await ask(ben, 'other')).status).toBe(200);
    const told = await gateway.request('GET', '/v1/routes', { principal: null, headers: { authorization: `Bearer ${ben}` } });
    expect(told.body.caller).toEqual({ principal_id: 'corp:ben', roles: ['call', 'approve', 'audit'] });
  });

  it('without a mapped role may do nothing', async () => {
    expect(await ask(await issuer.sign(issuer.claims('stranger')))).toMatchObject(forbidden);
    for (const groups of [undefined, [], 'team-a', 7, { 'svc-users': true }, ['call'], [['svc-users']]])
      expect(await ask(await issuer.sign(issuer.claims('anna', { groups })))).toMatchObject(forbidden);
  });

  it.each([
    ['of another audience', { aud: 'another' }],
    ['without an audience', { aud: undefined }],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['that has expired', { exp: now() - 60 }],
    ['without an end', { exp: undefined }],
    ['that is not valid yet', { nbf: now() + 60 }],
    ['without a subject', { sub: undefined }],
    ['whose subject is no principal', { sub: 'anna smith' }],
    ['whose subject is too long', { sub: 'a'.repeat(124) }],
    ['whose subject is empty', { sub: '' }],
    ['whose team is no name', { team: ['a'] }],
  ])('%s is refused', async (_, changes) => {
    expect(await ask(await issuer.sign(issuer.claims('anna', changes)))).toMatchObject(refused);
  });

  it('is judged with the clock skew that is configured', async () => {
    expect((await ask(await issuer.sign(issuer.claims('anna', { exp: now() - 10 })))).status).toBe(200);
    expect((await ask(await issuer.sign(issuer.claims('anna', { nbf: now() + 20 })))).status).toBe(200);
    expect(await ask(await issuer.sign(issuer.claims('anna', { exp: now() - 31 })))).toMatchObject(refused);
  });

  it('does not appear in the log, in an error or in a record', async () => {
    const token = await issuer.sign(issuer.claims('anna', { aud: 'another', secret: 'x' }));
    const valid = await issuer.sign(issuer.claims('anna'));
    const answer = await ask(token);
    await ask(valid);
    const told = answer.text + gateway.output + JSON.stringify(await gateway.ledger());
    for (const part of [...token.split('.'), ...valid.split('.').slice(1)]) expect(told).not.toContain(part);
  });
});

describe('a forged token is refused', () => {
  it('unsigned (alg: none)', async () => {
    expect(await ask(new UnsecuredJWT(issuer.claims('ben')).encode())).toMatchObject(refused);
  });

  it('signed by HMAC with the public key as the secret (key confusion)', async () => {
    const secrets = [await exportSPKI(issuer.key.publicKey), JSON.stringify(issuer.key.jwk.n), issuer.key.jwk.n ?? ''];
    for (const secret of secrets) {
      const header = { alg: 'HS256', kid: issuer.key.kid };
      const forged = await new SignJWT(issuer.claims('ben')).setProtectedHeader(header).sign(new TextEncoder().encode(secret));
      expect(await ask(forged)).toMatchObject(refused);
    }
  });

  it('signed by another key under the id of a known one', async () => {
    const { privateKey } = await newKey('other');
    expect(await ask(await issuer.sign(issuer.claims('ben'), { privateKey }))).toMatchObject(refused);
  });

  it('with its own key in the header', async () => {
    const { privateKey, jwk } = await newKey('own');
    const { kty = '', n = '', e = '' } = jwk;
    const header = { alg: 'RS256', kid: 'own', jwk: { kty, n, e }, jku: 'http://127.0.0.1:1/jwks' };
    expect(await ask(await new SignJWT(issuer.claims('ben')).setProtectedHeader(header).sign(privateKey))).toMatchObject(refused);
  });

  it.each(['a.b.c', '..', 'eyJhbGciOiJub25lIn0..', 'e30.e30.', 'a.b.c.d.e'])('%s', async (token) => {
    expect(await ask(token)).toMatchObject(refused);
  });

  it('with another text signed', async () => {
    const [head, , signature] = (await issuer.sign(issuer.claims('anna'))).split('.');
    const payload = Buffer.from(JSON.stringify(issuer.claims('ben'))).toString('base64url');
    expect(await ask(`${head}.${payload}.${signature}`)).toMatchObject(refused);
  });
});

describe('an approval by a person whom an issuer verified', () => {
  const approveAs = async (sub: string, run_id: string): Promise<Answer> =>
    gateway.request('POST', `/v1/runs/${run_id}/resume`, {
      principal: null,
      headers: { authorization: `Bearer ${await issuer.sign(issuer.claims(sub))}` },
      body: { decision: 'approved' },
    });
  const pausedRun = async (more: object): Promise<string> => {
    const messages = [{ role: 'user', content: 'a wire transfer' }];
    const { body } = await gateway.post('/v1/runs', { messages, ...more });
    expect(body.status).toBe('paused');
    return body.run_id;
  };

  it('is recorded with issuer and subject; one by a key with neither', async () => {
    const byPerson = await pausedRun({ route: 'decided' });
    expect(await approveAs('ben', byPerson)).toMatchObject({ status: 200, body: { status: 'completed' } });
    const byKey = await pausedRun({});
    expect((await gateway.post(`/v1/runs/${byKey}/resume`, { decision: 'approved' }, 'bob')).status).toBe(200);
    const ledger = await gateway.ledger();
    const recordOf = (run_id: string) => ledger.find((record) => record.run_id === run_id);
    const who = { issuer: issuer.url, subject: 'ben' };
    expect(recordOf(byPerson)?.approver).toMatchObject({ principal_id: 'corp:ben', ...who });
    expect(recordOf(byPerson)?.events).toContainEqual(
      expect.objectContaining({ event_type: 'decision', data: expect.objectContaining(who) }),
    );
    expect(Object.keys(Object(recordOf(byKey)?.approver)).sort()).toEqual(['at', 'decision', 'principal_id']);
  });

  it('may name only principals that an issuer could give', async () => {
    const run_id = await pausedRun({ approvers: ['corp:nobody-yet'] });
    expect(await approveAs('ben', run_id)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    const body = { messages: [{ role: 'user', content: 'a wire transfer' }], approvers: ['nobody-yet'] };
    expect(await gateway.post('/v1/runs', body)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });
});
