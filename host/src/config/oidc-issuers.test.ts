import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { mayAdminister, mayApprove, mayName, type OidcIssuer } from './oidc-issuers.ts';
import { load } from './test-config.ts';

afterEach(removeProjects);

const ENTRY = { issuer: 'https://login.example.com', audience: 'svc', roles: { claim: 'groups', map: { users: ['call'] } } };
const SETTINGS: OidcIssuer = {
  issuer: ENTRY.issuer,
  audience: 'svc',
  principal: 'sub',
  roles: { claim: 'groups', map: { users: ['call'] } },
  algorithms: ['RS256'],
  clock_skew_ms: 0,
  network: {},
  jwks_max_age_ms: 60_000,
};
const withPrefix = (issuer: string, principal_prefix: string) => ({ ...ENTRY, issuer, principal_prefix });

/** Codes and paths of the errors in entries of `auth.oidc`. */
const faults = (...oidc: object[]): Promise<string[][]> => faultsOf({ oidc });

async function faultsOf(auth: object): Promise<string[][]> {
  const providers = { local: { type: 'parrot' } };
  const routes = { assistant: { provider: 'local', model: 'm', approvers: [] } };
  const { config, diagnostics } = await load(JSON.stringify({ auth, providers, routes }), { env: { CLIENT_SECRET: 'x' } });
  expect(config === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  return diagnostics.map(({ code, path, nearest }) => [code, path, ...(nearest === undefined ? [] : [nearest])]);
}

it('accepts an issuer, and plain http on the local machine', async () => {
  expect(await faults(ENTRY)).toEqual([]);
  for (const issuer of ['http://127.0.0.1:3000', 'http://localhost/realms/a', 'http://[::1]:3000'])
    expect(await faults({ ...ENTRY, issuer })).toEqual([]);
});

describe('a client for the pages', () => {
  const client_secret = 'secret://env/CLIENT_SECRET#value';

  it('may be public, or have a secret given by reference', async () => {
    expect(await faults({ ...ENTRY, client_id: 'svc' })).toEqual([]);
    expect(await faults({ ...ENTRY, client_id: 'svc', client_secret })).toEqual([]);
  });

  it('causes a warning if the file contains its secret, and is refused without an id', async () => {
    const path = 'auth.oidc.0.client_secret';
    expect(await faults({ ...ENTRY, client_id: 'svc', client_secret: 'hunter2' })).toEqual([['SVC-POL-008', path]]);
    expect(await faults({ ...ENTRY, client_secret })).toEqual([['SVC-POL-001', path]]);
  });

  it.each([
    ['idle', { idle: '4m' }],
    ['idle', { idle: '25h', absolute: '2d' }],
    ['absolute', { absolute: '8d' }],
    ['idle', { idle: '2h', absolute: '1h' }],
  ])('has session times within limits: %s of %j', async (field, session) => {
    expect(await faultsOf({ oidc: [{ ...ENTRY, client_id: 'svc' }], session })).toEqual([
      ['SVC-POL-001', `auth.session.${field}`],
    ]);
  });
});

describe('refuses', () => {
  it.each([
    ['plain http to another machine', { issuer: 'http://login.example.com' }, 'issuer'],
    ['a name that only begins like loopback', { issuer: 'http://localhost.example.com' }, 'issuer'],
    ['a user in the address', { issuer: 'https://a@login.example.com' }, 'issuer'],
    ['no address', { issuer: 'login.example.com' }, 'issuer'],
    ['an empty map of roles', { roles: { claim: 'groups', map: {} } }, 'roles.map'],
    ['a value without roles', { roles: { claim: 'groups', map: { users: [] } } }, 'roles.map.users'],
    ['an unknown role', { roles: { claim: 'groups', map: { users: ['root'] } } }, 'roles.map.users.0'],
    ['an empty map of routes', { routes: { claim: 'groups', map: {} } }, 'routes.map'],
    ['a signature with a shared secret', { algorithms: ['HS256'] }, 'algorithms.0'],
    ['no signature', { algorithms: ['none'] }, 'algorithms.0'],
    ['a large clock skew', { clock_skew: '6m' }, 'clock_skew'],
    ['keys that are too old', { jwks_max_age: '2d' }, 'jwks_max_age'],
    ['keys that are too young', { jwks_max_age: '59s' }, 'jwks_max_age'],
  ])('%s', async (_, changes, path) => {
    const found = await faults({ ...ENTRY, ...changes });
    expect(found.map((row) => row.slice(0, 2))).toEqual([['SVC-POL-001', `auth.oidc.0.${path}`]]);
  });

  it('an unknown route, and names the nearest known one', async () => {
    const routes = { claim: 'groups', map: { 'team-a': ['assistant', 'asistant'] } };
    expect(await faults({ ...ENTRY, routes })).toEqual([['SVC-POL-002', 'auth.oidc.0.routes.map.team-a.1', 'assistant']]);
  });

  it('an issuer that is listed twice', async () => {
    const twice = [withPrefix('https://a.example.com', 'a:'), withPrefix('https://a.example.com', 'b:')];
    expect(await faults(...twice)).toEqual([['SVC-POL-001', 'auth.oidc.1.issuer']]);
  });

  it('prefixes with which two issuers could name the same principal', async () => {
    const [first, second] = ['https://a.example.com', 'https://b.example.com'] as const;
    const at = (index: number) => ['SVC-POL-001', `auth.oidc.${index}.principal_prefix`];
    expect(await faults(withPrefix(first, 'a:'), withPrefix(second, 'b:'))).toEqual([]);
    expect(await faults(withPrefix(first, 'a'), withPrefix(second, 'ab'))).toEqual([at(1)]);
    expect(await faults(withPrefix(first, 'a:'), withPrefix(second, 'a:'))).toEqual([at(0), at(1)]);
    const [path] = (await faults({ ...ENTRY, issuer: first }, withPrefix(second, 'b:'))).map(([code]) => code);
    expect(path).toBe('SVC-POL-001');
  });
});

it('a principal whom an issuer could name and make an approver counts as an approver', () => {
  const roles = { claim: 'groups', map: { users: ['call' as const], bosses: ['approve' as const] } };
  const routes = { claim: 'groups', map: { users: ['assistant'] } };
  const issuersOf = (entry: object) => [{ ...SETTINGS, principal_prefix: 'corp:', ...entry }];
  expect(mayApprove(issuersOf({ roles }), 'corp:anna', 'assistant')).toBe(true);
  expect(mayApprove(issuersOf({ roles, routes }), 'corp:anna', 'assistant')).toBe(true);
  expect(mayApprove(issuersOf({ roles, routes }), 'corp:anna', 'other')).toBe(false);
  expect(mayApprove(issuersOf({ roles }), 'anna', 'assistant')).toBe(false);
  expect(mayApprove(issuersOf({}), 'corp:anna', 'assistant')).toBe(false);
  expect(mayApprove(issuersOf({ roles, principal: 'email' }), 'corp:anna@example.com', 'assistant')).toBe(true);
  expect(mayApprove(issuersOf({ roles, principal: 'email' }), 'corp:Anna@example.com', 'assistant')).toBe(false);
});

it('a principal whom an issuer could name and make an operator counts as an operator', () => {
  const issuersOf = (role: 'admin' | 'call') => [
    { ...SETTINGS, principal_prefix: 'corp:', roles: { claim: 'groups', map: { users: [role] } } },
  ];
  expect(mayAdminister(issuersOf('admin'), 'corp:anna')).toBe(true);
  expect(mayAdminister(issuersOf('call'), 'corp:anna')).toBe(false);
  expect(mayAdminister(issuersOf('admin'), 'anna')).toBe(false);
});

it.each([
  ['corp:anna', true],
  ['anna', false],
  ['corp', false],
  ['corp:anna smith', false],
  [`corp:${'a'.repeat(124)}`, false],
])('could name %s: %s', (principal_id, expected) => {
  expect(mayName([{ ...SETTINGS, principal_prefix: 'corp:' }], principal_id)).toBe(expected);
  expect(mayName([], principal_id)).toBe(false);
});
