import { createHash } from 'node:crypto';
import { OperationalStates } from '@svc/runtime/records';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { requireRole, useAuthentication } from './auth.ts';
import { asSvcError } from './errors.ts';
import { KeyRing, type Role } from './key-ring.ts';
import { KeyUses } from './key-uses.ts';
import { handClock, sharedMeta } from './test-keys.ts';

const ROLES: readonly Role[] = ['call', 'audit'];
const keyOf = (role: Role): string => `svc-${role.charCodeAt(0).toString(16).padStart(64, '0')}`;

function server() {
  const keys = ROLES.map((role) => ({
    principal_id: role,
    key_sha256: createHash('sha256').update(keyOf(role)).digest('hex'),
    roles: [role],
    routes: null,
    namespaces: null,
    team: null,
  }));
  const stored = { find: () => null, isValid: () => false, principals: () => [], everyone: () => [] };
  const ring = new KeyRing(keys, stored);
  const uses = new KeyUses(Promise.resolve(sharedMeta()), handClock());
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, code } = asSvcError(error);
    return reply.code(status).send({ code });
  });
  useAuthentication(
    app,
    { kind: 'keys', ring, uses, issuers: { current: null, sign_in: null } },
    { states: new OperationalStates(), assertStill: () => undefined },
  );
  return app;
}

it('refuses an endpoint without declared roles, unless it needs no key', () => {
  const app = server();
  const answer = async () => ({});
  expect(() => app.get('/forgotten', answer)).toThrow('/forgotten declares no roles');
  app.get('/open', { config: { public: true } }, answer);
  app.get('/probe', { config: { probe: true } }, answer);
});

it.each([
  ['call', ['audit'], 403],
  ['call', ['audit', 'call'], 200],
  ['audit', ['audit'], 200],
  // Fails closed.
  ['audit', [], 403],
] as const)('a caller with the role %s meets an endpoint for %j', async (role, roles, status) => {
  const app = server();
  app.get('/', { config: { roles } }, async (request) => ({ id: requireRole(request).principal_id }));
  const response = await app.inject({ url: '/', headers: { authorization: `Bearer ${keyOf(role)}` } });
  expect(response.statusCode).toBe(status);
  expect(response.json()).toEqual(status === 200 ? { id: role } : { code: 'SVC-AUTH-002' });
});
