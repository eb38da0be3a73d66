import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let issuer: Server;
let url: string;
let metadata: Record<string, unknown>;
beforeAll(async () => {
  issuer = createServer((request, response) => {
    const body = request.url === '/keys' ? { keys: [] } : { issuer: url, jwks_uri: `${url}/keys`, ...metadata };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});
afterAll(() => issuer.close());

it.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'http://login.example.com/authorize',
  'https://a:b@login.example.com/',
  'no address',
  '',
  7,
  undefined,
])('sends no one to sign in at %j', async (authorization_endpoint) => {
  metadata = { authorization_endpoint };
  const roles = { claim: 'groups', map: { users: ['call'] } };
  const entry = { issuer: url, audience: 'svc', roles, client_id: 'pages' };
  const gateway = await TestGateway.start({ here: true, config: echoConfig({ auth: { oidc: [entry] } }) });
  try {
    const refused = await gateway.get(`/auth/login?${new URLSearchParams({ issuer: url })}`, null);
    expect(refused).toMatchObject({ status: 503, body: { code: 'SVC-AUTH-004' } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(gateway.output).not.toContain('"event":"internal_error"');
  } finally {
    await gateway.dispose();
  }
});
