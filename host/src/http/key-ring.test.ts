import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { isForNamespace, KeyRing } from './key-ring.ts';

const key = `svc-${randomBytes(32).toString('hex')}`;
const entry = { principal_id: 'alice', routes: null, roles: null, team: 'blue', namespaces: null };
const principal = { ...entry, identity: null, key_id: null };
const none = { find: () => null, isValid: () => false, principals: () => [], everyone: () => [] };
const ring = new KeyRing([{ ...entry, key_sha256: createHash('sha256').update(key).digest('hex') }], none);

it('finds the principal of a known key', () => {
  expect(ring.find(`Bearer ${key}`)).toEqual(principal);
  expect(ring.find(`bearer ${key}`)).toEqual(principal);
});

it.each([
  undefined,
  '',
  key,
  `Basic ${key}`,
  'Bearer',
  'Bearer ',
  `Bearer  ${key}`,
  `Bearer ${key} ${key}`,
  `Bearer ${key.toUpperCase()}`,
  `Bearer ${key}0`,
  `Bearer svc-${'0'.repeat(64)}`,
  `Bearer sk-${key.slice(4)}`,
])('refuses %j', (header) => {
  expect(ring.find(header)).toBeNull();
});

it.each([
  [null, 'any', true],
  [[], 'any', false],
  [['a'], 'a', true],
  [['a'], 'ab', false],
  [['a', 'b-*'], 'b-1', true],
  [['b-*'], 'b-', true],
  [['b-*'], 'b', false],
  [['b-*'], 'B-1', false],
])('with the namespaces %j, %s is allowed: %s', (namespaces, namespace, expected) => {
  expect(isForNamespace({ ...principal, namespaces }, namespace)).toBe(expected);
});

it('knows whether a key is still valid and still has the same rights', () => {
  const key_sha256 = createHash('sha256').update(key).digest('hex');
  const some = new KeyRing([{ ...entry, key_sha256 }], none);
  const caller = some.find(`Bearer ${key}`) ?? expect.fail();
  const still = (entries: ConstructorParameters<typeof KeyRing>[0]) => {
    some.replace(entries);
    return some.stillKnows(caller);
  };
  expect(still([{ ...entry, key_sha256: key_sha256.toUpperCase() }])).toBe(true);
  expect(still([{ ...entry, key_sha256, roles: ['call'] }])).toBe(false);
  expect(still([{ ...entry, key_sha256: '00' }])).toBe(false);
  expect(some.stillKnows({ ...principal, identity: { issuer: 'https://login.example.com', subject: 'alice' } })).toBe(false);
});

it('knows every principal that has or had a key', () => {
  const some = new KeyRing([{ ...entry, key_sha256: '00' }], {
    ...none,
    everyone: () => ['bob', 'alice'].map((principal_id) => ({ ...principal, principal_id })),
  });
  some.replace([{ ...entry, principal_id: 'carol', key_sha256: '01' }]);
  expect(some.principalIds().toSorted()).toEqual(['alice', 'bob', 'carol']);
  expect([some.keysOf('alice').length, some.keysOf('carol').length, some.keysOf('dave').length]).toEqual([2, 1, 0]);
});
