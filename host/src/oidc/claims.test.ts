import fc from 'fast-check';
import type { JWTPayload } from 'jose';
import { expect, it } from 'vitest';
import { principalOf } from './claims.ts';

const mapping = {
  issuer: 'https://login.example.com',
  principal: 'sub',
  roles: { claim: 'realm.roles', map: { user: ['call' as const], boss: ['call' as const, 'approve' as const] } },
  team: 'team',
};

it('maps claims to a principal, its roles once each, and a team', () => {
  expect(principalOf({ sub: 'anna', realm: { roles: ['boss', 'user', 'other'] }, team: 'risk.co' }, mapping)).toEqual({
    principal_id: 'anna',
    roles: ['call', 'approve'],
    routes: null,
    namespaces: null,
    team: 'risk.co',
    identity: { issuer: mapping.issuer, subject: 'anna' },
    key_id: null,
  });
});

it('prefers a claim with the whole name to a member, and reads scopes as words', () => {
  const claims = { sub: 'anna', 'realm.roles': 'user', realm: { roles: 'boss' } };
  expect(principalOf(claims, mapping).roles).toEqual(['call']);
  const scopes = { ...mapping, roles: { claim: 'scope', map: mapping.roles.map } };
  expect(principalOf({ sub: 'anna', scope: 'openid user' }, scopes).roles).toEqual(['call']);
});

it('gives the namespaces of the map, and none for other values', () => {
  const bound = { ...mapping, rag: { claim: 'team', map: { risk: ['risk-*'] } } };
  expect(principalOf({ sub: 'anna', team: 'risk' }, bound).namespaces).toEqual(['risk-*']);
  expect(principalOf({ sub: 'anna', team: 'sales' }, bound).namespaces).toEqual([]);
});

it('gives the approver groups of the map, and none for other values', () => {
  const grouped = { ...mapping, groups: { claim: 'team', map: { risk: ['finance'] } } };
  expect(principalOf({ sub: 'anna', team: 'risk' }, grouped).groups).toEqual(['finance']);
  expect(principalOf({ sub: 'anna', team: 'sales' }, grouped).groups).toEqual([]);
});

it('takes the principal from another claim, after the prefix, and the subject from sub', () => {
  const named = { ...mapping, principal: 'upn', principal_prefix: 'corp:' };
  expect(principalOf({ sub: '7', upn: 'Anna@example.com' }, named)).toMatchObject({
    principal_id: 'corp:Anna@example.com',
    identity: { subject: '7' },
  });
});

it('uses a mail address in lower case, and only if it is verified', () => {
  const named = { ...mapping, principal: 'email', principal_prefix: 'Corp:' };
  const claims = { sub: '7', email: 'Anna@Example.com' };
  expect(principalOf({ ...claims, email_verified: true }, named).principal_id).toBe('Corp:anna@example.com');
  for (const email_verified of [undefined, false, 'true', 1])
    expect(() => principalOf({ ...claims, email_verified }, named)).toThrow('SVC-AUTH-001');
  expect(() => principalOf({ sub: '7', email_verified: true }, named)).toThrow('SVC-AUTH-001');
  // The Kelvin sign.
  expect(() => principalOf({ sub: '7', email: 'mi\u212ae@example.com', email_verified: true }, named)).toThrow('SVC-AUTH-001');
});

it.each([
  [{}],
  [{ sub: '' }],
  [{ sub: 7 }],
  [{ sub: 'a b' }],
  [{ sub: 'ä' }],
  [{ sub: 'a'.repeat(129) }],
  [{ sub: 'a', team: 7 }],
  [{ sub: 'a', team: 'blue\u00a0' }],
  [{ sub: 'a', team: 'b\u04bblue' }],
  [{ sub: 'a', team: '*' }],
  [{ sub: 'a', team: '' }],
])('does not find a principal in %j', (claims) => {
  expect(() => principalOf({ ...(claims as JWTPayload) }, mapping)).toThrow('SVC-AUTH-001');
});

it('gives only the roles and routes of the maps, whatever a token claims', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('user', ['user'], ['__proto__'], 'constructor', { length: 1, 0: 'user' }),
  );
  const routes = { claim: 'groups', map: { a: ['default'] } };
  fc.assert(
    fc.property(value, value, (roles, groups) => {
      const found = principalOf({ sub: 'anna', 'realm.roles': roles, groups }, { ...mapping, routes });
      const has = (list: unknown, name: string) => list === name || (Array.isArray(list) && list.includes(name));
      expect(found.roles).toEqual(has(roles, 'boss') ? ['call', 'approve'] : has(roles, 'user') ? ['call'] : []);
      expect(found.routes).toEqual(has(groups, 'a') ? ['default'] : []);
    }),
  );
});
