import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { locationOf, Person } from '../harness/person.ts';

const GROUPS = { anna: ['users', 'approvers'], ben: ['users'], stranger: ['others'] };

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: GROUPS });
  gateway = await TestGateway.start({
    here: true,
    config: configOf(issuer),
    principals: [{ principal_id: 'alice' }, { principal_id: 'ada', roles: ['admin'] }],
    env: { CLIENT_SECRET: issuer.client.client_secret },
  });
});
afterEach(() => expect(gateway.output).not.toMatch(/"event":"internal_error"/));
afterAll(async () => {
  await gateway?.dispose();
  await issuer?.stop();
});

function configOf({ url, client }: IssuerProcess) {
  const entry = {
    issuer: url,
    audience: IssuerProcess.AUDIENCE,
    principal_prefix: 'corp:',
    roles: { claim: 'groups', map: { users: ['call'], approvers: ['approve', 'audit'] } },
    client_id: client.client_id,
    client_secret: 'secret://env/CLIENT_SECRET#value',
  };
  const tokens_only = { issuer: 'http://127.0.0.1:1', audience: 'svc', principal_prefix: 'tokens:', roles: entry.roles };
  return echoConfig({
    auth: { oidc: [entry, tokens_only] },
    server: { cors_origins: ['http://app.example'], trust_proxy: true },
  });
}

const chat = { method: 'POST', body: { model: 'default', messages: [{ role: 'user', content: 'hello' }] } };
const unknown = { status: 401, body: { code: 'SVC-AUTH-001' } };
const forbidden = { status: 403, body: { code: 'SVC-AUTH-002' } };
const nobody = { caller: null, csrf: null };
const signedIn = async (login: string): Promise<Person> => {
  const person = new Person(gateway, login);
  expect((await person.signIn(issuer.url)).status).toBe(303);
  return person;
};

describe('signing in', () => {
  it('goes to the issuer and back to the page, and the person has the mapped rights', async () => {
    const person = new Person(gateway, 'anna');
    expect((await person.ask('/auth/session')).body).toEqual({ ...nobody, issuers: [issuer.url] });
    const back = await person.signIn(issuer.url, '/showcase');
    expect([back.status, locationOf(back)]).toEqual([303, '/showcase']);
    const told = await person.ask('/auth/session');
    expect(told.body.caller).toEqual({ principal_id: 'corp:anna', issuer: issuer.url, subject: 'anna' });
    expect((await person.ask('/v1/routes')).body.caller).toEqual({
      principal_id: 'corp:anna',
      roles: ['call', 'approve', 'audit'],
    });
    expect((await person.act('/v1/chat/completions', chat)).status).toBe(200);
  });

  it('asks with state, nonce and PKCE, and for its own callback', async () => {
    const query = new URL(await new Person(gateway, 'anna').begin(issuer.url)).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      client_id: issuer.client.client_id,
      response_type: 'code',
      redirect_uri: `${gateway.url}/auth/callback`,
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('keeps its cookies from scripts, from other sites and, behind https, from other hosts and plain http', async () => {
    const person = new Person(gateway, 'anna');
    const flags = '; Path=/; HttpOnly; SameSite=Lax';
    const login = await person.ask(`/auth/login?${new URLSearchParams({ issuer: issuer.url })}`);
    expect(login.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const back = await person.ask(await person.passIssuer(locationOf(login)));
    expect(back.headers.getSetCookie()).toEqual([
      `svc_sign_in=; Max-Age=0${flags}`,
      expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const secure = await person.ask(`/auth/login?${new URLSearchParams({ issuer: issuer.url })}`, { headers });
    expect(secure.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-svc_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(new URL(locationOf(secure)).searchParams.get('redirect_uri')).toMatch(/^https:/);
    // A cookie of plain http is none there.
    expect((await person.ask('/v1/routes', { headers })).status).toBe(401);
    expect((await person.ask('/v1/routes')).status).toBe(200);
  });

  it("is offered only for issuers with a client, and returns only to the gateway's pages", async () => {
    const person = new Person(gateway, 'anna');
    const begin = (query: Record<string, string>) => person.ask(`/auth/login?${new URLSearchParams(query)}`);
    const refused = { status: 400, body: { code: 'SVC-REQ-001' } };
    for (const other of ['http://127.0.0.1:1', 'https://login.example.com', ''])
      expect(await begin({ issuer: other })).toMatchObject(refused);
    for (const page of [
      'https://evil.example',
      '//evil.example',
      '/approvals/../..//evil.example',
      '/v1/routes',
      '/approvals#x',
      '',
    ])
      expect(await begin({ issuer: issuer.url, return: page })).toMatchObject(refused);
  });

  it("gives no session without the cookie of the attempt, with another state, or with another browser's attempt", async () => {
    const [person, other] = [new Person(gateway, 'anna'), new Person(gateway, 'ben')];
    const callback = await person.passIssuer(await person.begin(issuer.url));
    await other.begin(issuer.url);
    expect(await other.ask(callback)).toMatchObject(unknown);
    expect(await new Person(gateway, 'ben').ask(callback)).toMatchObject(unknown);
    const changed = new URL(callback);
    changed.searchParams.set('state', 'another');
    expect(await new Person(gateway, 'ben').ask(changed.href, { headers: cookieOf(person) })).toMatchObject(unknown);
    expect(other.cookies.has('svc_session')).toBe(false);
    expect((await person.ask(callback)).status).toBe(303);
  });

  it('works once: neither the browser nor a thief of its cookie can reuse the same answer', async () => {
    const person = new Person(gateway, 'anna');
    const callback = await person.passIssuer(await person.begin(issuer.url));
    const stolen = cookieOf(person);
    expect((await person.ask(callback)).status).toBe(303);
    expect(await person.ask(callback)).toMatchObject(unknown);
    const thief = new Person(gateway, 'anna');
    const failures = () => gateway.output.split('"event":"sign_in_failed"').length;
    const before = failures();
    expect(await thief.ask(callback, { headers: stolen })).toMatchObject(unknown);
    expect(thief.cookies.has('svc_session')).toBe(false);
    // The issuer was not asked, so that nobody can have it asked again and again.
    expect(failures()).toBe(before);
  });

  it('is bound to the code verifier: the issuer gives no token for a code with another challenge', async () => {
    const person = new Person(gateway, 'anna');
    const address = new URL(await person.begin(issuer.url));
    const challenge = createHash('sha256').update('a verifier of an attacker that is long enough').digest('base64url');
    address.searchParams.set('code_challenge', challenge);
    expect(await person.ask(await person.passIssuer(address.href))).toMatchObject(unknown);
    expect(gateway.output).toMatch(/"event":"sign_in_failed".*"reason":"invalid_grant"/);
  });

  it('is bound to the nonce', async () => {
    const person = new Person(gateway, 'anna');
    const address = new URL(await person.begin(issuer.url));
    address.searchParams.set('nonce', 'another');
    expect(await person.ask(await person.passIssuer(address.href))).toMatchObject(unknown);
  });

  it('reports a failure to a browser on the page, and to a program by a code', async () => {
    const headers = { accept: 'text/html' };
    const person = new Person(gateway, 'anna');
    await person.begin(issuer.url, '/showcase');
    const state = 'x';
    const refused = await person.ask(`/auth/callback?${new URLSearchParams({ error: 'access_denied', state })}`, { headers });
    expect([refused.status, locationOf(refused)]).toEqual([303, '/showcase#sign-in=SVC-AUTH-001']);
    const lost = await person.ask('/auth/callback', { headers });
    expect([lost.status, locationOf(lost)]).toEqual([303, '/approvals#sign-in=SVC-AUTH-001']);
    expect(await person.ask('/auth/callback')).toMatchObject(unknown);
  });

  it('gives a person without a mapped role a session without rights', async () => {
    const person = await signedIn('stranger');
    expect((await person.ask('/auth/session')).body.caller.principal_id).toBe('corp:stranger');
    expect(await person.ask('/v1/routes')).toMatchObject(forbidden);
  });
});

describe('a session', () => {
  it('changes nothing without its token, or for another origin', async () => {
    const person = await signedIn('anna');
    const other = await signedIn('ben');
    const { csrf } = (await person.ask('/auth/session')).body;
    const send = (headers: Record<string, string>) => person.ask('/v1/chat/completions', { ...chat, headers });
    expect(await send({})).toMatchObject(forbidden);
    expect(await send({ 'x-svc-csrf': '' })).toMatchObject(forbidden);
    expect(await send({ 'x-svc-csrf': (await other.ask('/auth/session')).body.csrf })).toMatchObject(forbidden);
    const token = { 'x-svc-csrf': csrf };
    for (const origin of ['http://evil.example', 'http://app.example', 'null', gateway.url.replace('http:', 'https:')])
      expect(await send({ ...token, origin })).toMatchObject(forbidden);
    for (const site of ['cross-site', 'same-site'])
      expect(await send({ ...token, 'sec-fetch-site': site })).toMatchObject(forbidden);
    expect((await send({ ...token, origin: gateway.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is refused for another origin, which may still use a key', async () => {
    const person = await signedIn('anna');
    const headers = { origin: 'http://app.example' };
    const told = await person.ask('/auth/session', { headers });
    expect(told.body).toMatchObject(nobody);
    expect(told.headers.get('access-control-allow-credentials')).toBeNull();
    expect(await person.ask('/v1/routes', { headers })).toMatchObject(forbidden);
    const byKey = { ...headers, authorization: `Bearer ${gateway.key('alice')}` };
    expect((await person.ask('/v1/routes', { headers: byKey })).body.caller.principal_id).toBe('alice');
  });

  it('counts only if no key or token was sent', async () => {
    const person = await signedIn('anna');
    const asked = (authorization: string) => person.ask('/v1/routes', { headers: { authorization } });
    expect(await asked('Bearer nonsense')).toMatchObject(unknown);
    expect((await asked(`Bearer ${gateway.key('alice')}`)).body.caller.principal_id).toBe('alice');
    expect(await person.ask('/v1/models', { headers: { 'x-api-key': 'nonsense' } })).toMatchObject(unknown);
  });

  it("ends at once at sign-out, even for a thief of its cookie, and names the issuer's sign-out address", async () => {
    const person = await signedIn('anna');
    const stolen = cookieOf(person);
    expect(await person.ask('/auth/logout', { method: 'POST' })).toMatchObject(forbidden);
    expect((await person.ask('/v1/routes')).status).toBe(200);
    const ended = await person.act('/auth/logout', { method: 'POST' });
    const url = `${issuer.url}/session/end?client_id=${issuer.client.client_id}`;
    expect([ended.status, ended.body]).toEqual([200, { end_session_url: url }]);
    expect(person.cookies.has('svc_session')).toBe(false);
    const thief = new Person(gateway, 'anna');
    expect(await thief.ask('/v1/routes', { headers: stolen })).toMatchObject(unknown);
    expect((await thief.ask('/auth/session', { headers: stolen })).body).toMatchObject(nobody);
    expect((await thief.ask('/auth/logout', { method: 'POST', headers: stolen })).body).toEqual({ end_session_url: null });
  });

  it('ends when its browser signs in again', async () => {
    const person = await signedIn('anna');
    // The same browser, that the issuer has forgotten.
    const again = new Person(gateway, 'ben');
    again.cookies.set('svc_session', person.cookies.get('svc_session') ?? '');
    expect((await again.signIn(issuer.url)).status).toBe(303);
    expect((await again.ask('/auth/session')).body.caller.principal_id).toBe('corp:ben');
    expect(await person.ask('/v1/routes')).toMatchObject(unknown);
  });

  it.each(['', 'x', 'a'.repeat(43), '%', '../'])('%j is not a session', async (id) => {
    const headers = { cookie: `svc_session=${id}` };
    expect(await new Person(gateway, 'anna').ask('/v1/routes', { headers })).toMatchObject(unknown);
  });

  it('of a disabled principal may do nothing until the principal is enabled again', async () => {
    const person = await signedIn('ben');
    const put = (state: string) =>
      gateway.request('PUT', '/v1/operations/states/principal/corp:ben', { principal: 'ada', body: { state } });
    expect((await put('disabled')).status).toBe(200);
    expect(await person.ask('/v1/routes')).toMatchObject({ status: 403, body: { code: 'SVC-OPS-002' } });
    expect((await put('enabled')).status).toBe(200);
    expect((await person.ask('/v1/routes')).status).toBe(200);
  });

  it('approves in the name of the person: the record has issuer and subject', async () => {
    const person = await signedIn('anna');
    const messages = [{ role: 'user', content: 'a wire transfer' }];
    const { run_id } = (await gateway.post('/v1/runs', { messages })).body;
    const decided = await person.act(`/v1/runs/${run_id}/resume`, { method: 'POST', body: { decision: 'approved' } });
    expect([decided.status, decided.body.status]).toEqual([200, 'completed']);
    const record = (await gateway.ledger()).find((one) => one.run_id === run_id);
    expect(record?.approver).toMatchObject({ principal_id: 'corp:anna', issuer: issuer.url, subject: 'anna' });
  });
});

it('leaves no secret, code, token or id of a session in the log', async () => {
  const person = new Person(gateway, 'anna');
  const callback = new URL(await person.passIssuer(await person.begin(issuer.url)));
  const attempt = person.cookies.get('svc_sign_in') ?? '';
  await person.ask(callback.href);
  await person.ask(callback.href);
  const { csrf } = (await person.ask('/auth/session')).body;
  const { code = '', state = '' } = Object.fromEntries(callback.searchParams);
  const secrets = [code, state, attempt, csrf, person.cookies.get('svc_session') ?? '', issuer.client.client_secret];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    expect(gateway.output).not.toContain(secret);
  }
});

it('an unavailable issuer: sign-in and callback are refused, sessions and keys keep working', async () => {
  const person = await signedIn('anna');
  const late = new Person(gateway, 'ben');
  const callback = await late.passIssuer(await late.begin(issuer.url));
  await issuer.stop();
  try {
    expect(await late.ask(callback)).toMatchObject({ status: 503, body: { code: 'SVC-AUTH-004' } });
    expect((await person.ask('/v1/routes')).status).toBe(200);
    expect((await gateway.chat('hello')).status).toBe(200);
    // A gateway that never saw it knows not even where to send a person.
    const other = await TestGateway.start({ here: true, config: configOf(issuer), env: { CLIENT_SECRET: 'x' } });
    try {
      const begin = (accept: string) =>
        new Person(other, 'anna').ask(`/auth/login?${new URLSearchParams({ issuer: issuer.url, return: '/showcase' })}`, {
          headers: { accept },
        });
      const refused = await begin('*/*');
      expect(refused).toMatchObject({ status: 503, body: { code: 'SVC-AUTH-004' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(locationOf(await begin('text/html'))).toBe('/showcase#sign-in=SVC-AUTH-004');
    } finally {
      await other.dispose();
    }
  } finally {
    await issuer.start();
  }
});

it('without an issuer, sign-in is not available', async () => {
  const keysOnly = await TestGateway.start({ here: true, config: echoConfig() });
  try {
    const person = new Person(keysOnly, 'anna');
    expect((await person.ask('/auth/session')).body).toEqual({ ...nobody, issuers: [] });
    const query = new URLSearchParams({ issuer: issuer.url });
    for (const path of [`/auth/login?${query}`, '/auth/callback?code=x&state=y'])
      expect(await person.ask(path)).toMatchObject({ status: 404, body: { code: 'SVC-REQ-003' } });
    expect((await person.ask('/auth/logout', { method: 'POST' })).body).toEqual({ end_session_url: null });
  } finally {
    await keysOnly.dispose();
  }
});

function cookieOf({ cookies }: Person): { cookie: string } {
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}
