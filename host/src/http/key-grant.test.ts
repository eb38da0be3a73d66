import { expect, it } from 'vitest';
import { covers, type KeyGrant } from './key-grant.ts';
import type { Principal } from './key-ring.ts';

const CALLER: Principal = {
  principal_id: 'eve',
  roles: ['admin', 'rag', 'call'],
  routes: null,
  namespaces: null,
  team: null,
  identity: null,
  key_id: null,
};
const GRANT: KeyGrant = { principal_id: 'app', roles: ['call'], routes: null, namespaces: null, team: null };

it.each<[string, Partial<Principal>, Partial<KeyGrant>, boolean]>([
  ['of nothing limited', {}, { roles: ['audit'] }, true],
  ['with other routes', { routes: ['a'] }, { routes: ['a', 'b'] }, false],
  ['with all routes', { routes: ['a'] }, {}, false],
  ['with its routes', { routes: ['a'] }, { routes: ['a'] }, true],
  ['with another role', { routes: ['a'] }, { routes: ['a'], roles: ['audit'] }, false],
  ['with another team', { routes: ['a'], team: 'blue' }, { routes: ['a'], team: 'red' }, false],
  ['without its team', { routes: ['a'], team: 'blue' }, { routes: ['a'] }, false],
  ['with a team, of none', { routes: ['a'] }, { routes: ['a'], team: 'red' }, false],
  ['with a team, of no team and nothing limited', {}, { team: 'red' }, true],
  ['with all namespaces', { namespaces: ['n*'] }, { roles: ['rag'] }, false],
  ['with its namespaces', { namespaces: ['n*'] }, { roles: ['rag'], namespaces: ['n*', 'n1'] }, true],
  ['with a shorter prefix', { namespaces: ['n1*'] }, { roles: ['rag'], namespaces: ['n*'] }, false],
  ['with a prefix in place of a name', { namespaces: ['n1'] }, { roles: ['rag'], namespaces: ['n1*'] }, false],
  ['that has no use for namespaces', { namespaces: ['n*'] }, { roles: ['call'] }, true],
  ['that could give any namespace', { namespaces: ['n*'] }, { roles: ['admin'] }, false],
])('a key %s', (_, caller, grant, covered) => {
  expect(covers({ ...CALLER, ...caller }, { ...GRANT, ...grant })).toBe(covered);
});
