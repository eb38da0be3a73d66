import type { NewOperation } from '@svc/contracts';
import { OperationalStates } from '@svc/runtime/records';
import { describe, expect, it } from 'vitest';
import { assertStillBy } from './assert-still.ts';
import { KeyChanges } from './key-changes.ts';
import { KeyRing, type Principal } from './key-ring.ts';
import { ADMIN, keysOf } from './test-keys.ts';

type Process = ReturnType<typeof keysOf>;

const HOUR_MS = 3_600_000;
const GRANT = { principal_id: 'app', roles: ['call'], routes: ['default'], namespaces: null, team: 'blue' } as const;
const TERMS = { reason: null, expires_at: null };
const ROTATE = { overlap_s: 3600, expires_at: undefined, reason: null };

const inHours = (clock: { now(): number }, hours: number): string => new Date(clock.now() + hours * HOUR_MS).toISOString();

describe('a key created at run time', () => {
  it('has the rights that it was created with, in every process that applies the log', async () => {
    const one = keysOf();
    const { key, stored } = await one.changes.create(ADMIN, GRANT, { ...TERMS, reason: 'a new app' });
    expect(one.find(key)).toEqual({ ...GRANT, identity: null, key_id: stored.id });
    const other = keysOf(one.meta, one.clock);
    expect(other.find(key)).toBeNull();
    await other.log.catchUp();
    expect(other.find(key)).toEqual(one.find(key));
    expect(stored).toMatchObject({ ...GRANT, created_by: 'ada', expires_at: null, revoked_at: null, rotated_from: null });
  });

  it('appears in the log only as a hash', async () => {
    const { changes, meta, records } = keysOf();
    const { key } = await changes.create(ADMIN, GRANT, TERMS);
    expect([...meta.values.values()].join()).not.toContain(key.slice('svc-'.length));
    expect((await records())[0]).toMatchObject({ action: 'key.created', actor: { principal_id: 'ada' }, before: null });
  });

  it('is valid until it expires, and not a millisecond longer', async () => {
    const { changes, clock, find, ring } = keysOf();
    const approver = { ...GRANT, roles: ['approve'] } as const;
    const { key } = await changes.create(ADMIN, approver, { ...TERMS, expires_at: inHours(clock, 1) });
    clock.advance(HOUR_MS - 1);
    expect(find(key)).not.toBeNull();
    expect(ring.canApprove('app', 'default')).toBe(true);
    clock.advance(1);
    expect(find(key)).toBeNull();
    expect(ring.canApprove('app', 'default')).toBe(false);
  });

  it('cannot be created with an expiry in the past', async () => {
    const { changes, clock, meta } = keysOf();
    await expect(changes.create(ADMIN, GRANT, { ...TERMS, expires_at: inHours(clock, 0) })).rejects.toMatchObject({
      code: 'SVC-REQ-001',
    });
    expect(meta.values.size).toBe(0);
  });

  it('may approve only on its own routes', async () => {
    const { changes, ring } = keysOf();
    const { stored } = await changes.create(ADMIN, { ...GRANT, roles: ['approve'] }, TERMS);
    expect([ring.canApprove('app', 'default'), ring.canApprove('app', 'other'), ring.canApprove('bob', 'default')]).toEqual([
      true,
      false,
      false,
    ]);
    await changes.revoke(ADMIN, stored.id, null);
    expect(ring.canApprove('app', 'default')).toBe(false);
  });
});

describe('a rotation', () => {
  it('leaves both keys valid during the overlap, with the same rights', async () => {
    const { changes, clock, find } = keysOf();
    const old = await changes.create(ADMIN, GRANT, TERMS);
    const made = await changes.rotate(ADMIN, old.stored.id, ROTATE);
    expect(made.stored).toMatchObject({ ...GRANT, rotated_from: old.stored.id, expires_at: null });
    clock.advance(HOUR_MS - 1);
    expect([find(old.key), find(made.key)]).toMatchObject([GRANT, GRANT]);
    clock.advance(1);
    expect([find(old.key), find(made.key)]).toMatchObject([null, GRANT]);
  });

  it('without an overlap ends the old key at once, even if the clock is behind', async () => {
    const one = keysOf();
    const { changes, find, stored } = one;
    const old = await changes.create(ADMIN, GRANT, TERMS);
    one.clock.advance(HOUR_MS);
    const made = await changes.rotate(ADMIN, old.stored.id, { ...ROTATE, overlap_s: 0 });
    expect([find(old.key), find(made.key)]).toMatchObject([null, GRANT]);
    const behind = keysOf(one.meta);
    await behind.log.catchUp();
    expect([behind.find(old.key), behind.find(made.key)]).toMatchObject([null, GRANT]);
    expect([stored.get(old.stored.id)?.expires_at, stored.successorOf(old.stored.id)]).toEqual([null, made.stored.id]);
  });

  it('never makes a key valid for longer, and keeps its expiry unless another one is given', async () => {
    const { changes, clock, find, stored } = keysOf();
    const old = await changes.create(ADMIN, GRANT, { ...TERMS, expires_at: inHours(clock, 2) });
    const { id } = old.stored;
    const next = await changes.rotate(ADMIN, id, { ...ROTATE, overlap_s: 86_400 });
    expect(next.stored.expires_at).toBe(old.stored.expires_at);
    expect(stored.get(id)?.expires_at).toBe(old.stored.expires_at);
    await expect(changes.rotate(ADMIN, id, ROTATE)).rejects.toMatchObject({ code: 'SVC-KEY-002' });
    const lasting = await changes.rotate(ADMIN, next.stored.id, { ...ROTATE, expires_at: null });
    expect(lasting.stored.expires_at).toBeNull();
    clock.advance(2 * HOUR_MS);
    expect([find(old.key), find(lasting.key)]).toMatchObject([null, GRANT]);
    await expect(changes.rotate(ADMIN, next.stored.id, ROTATE)).rejects.toMatchObject({ code: 'SVC-KEY-002' });
  });
});

describe('a revocation', () => {
  it('ends a key permanently, whichever process revokes it', async () => {
    const one = keysOf();
    const other = keysOf(one.meta, one.clock);
    const { key, stored } = await one.changes.create(ADMIN, GRANT, TERMS);
    await other.changes.revoke(ADMIN, stored.id, 'lost');
    await one.log.catchUp();
    expect([one.find(key), other.find(key)]).toEqual([null, null]);
    await expect(one.changes.revoke(ADMIN, stored.id, null)).rejects.toMatchObject({ code: 'SVC-KEY-002' });
    await expect(one.changes.rotate(ADMIN, stored.id, ROTATE)).rejects.toMatchObject({ code: 'SVC-KEY-002' });
    await expect(one.changes.revoke(ADMIN, 'another', null)).rejects.toMatchObject({ code: 'SVC-KEY-001' });
  });

  it('of an old key does not affect its successor', async () => {
    const { changes, find } = keysOf();
    const old = await changes.create(ADMIN, GRANT, TERMS);
    const made = await changes.rotate(ADMIN, old.stored.id, ROTATE);
    await changes.revoke(ADMIN, old.stored.id, null);
    expect([find(old.key), find(made.key)]).toMatchObject([null, GRANT]);
  });
});

describe('an admin for some routes', () => {
  const caller: Principal = { ...ADMIN, principal_id: 'eve', roles: ['admin', 'call'], routes: ['default'], team: 'blue' };

  it('creates, rotates and revokes keys for these routes', async () => {
    const { changes, find } = keysOf();
    const { key, stored } = await changes.create(caller, GRANT, TERMS);
    const made = await changes.rotate(caller, stored.id, ROTATE);
    await changes.revoke(caller, stored.id, null);
    expect([find(key), find(made.key)]).toMatchObject([null, GRANT]);
  });

  it.each([
    ['all routes', { ...GRANT, routes: null }],
    ['another route', { ...GRANT, routes: ['default', 'other'] }],
    ['a role that it lacks', { ...GRANT, roles: ['call', 'approve'] as const }],
    ['another team', { ...GRANT, team: 'red' }],
    ['no team', { ...GRANT, team: null }],
  ])('does not manage a key for %s', async (_what, grant) => {
    const { changes, records, find } = keysOf();
    const refused = { code: 'SVC-AUTH-002' };
    await expect(changes.create(caller, grant, TERMS)).rejects.toMatchObject(refused);
    const { key, stored } = await changes.create(ADMIN, grant, TERMS);
    await expect(changes.rotate(caller, stored.id, ROTATE)).rejects.toMatchObject(refused);
    await expect(changes.revoke(caller, stored.id, null)).rejects.toMatchObject(refused);
    expect(await records()).toHaveLength(1);
    expect(find(key)).not.toBeNull();
  });
});

describe('an admin key with an expiry', () => {
  it('cannot create a key that lasts longer, nor extend itself by rotation or its overlap', async () => {
    const { changes, clock, find, meta } = keysOf();
    const terms = { ...TERMS, expires_at: inHours(clock, 2) };
    const made = await changes.create(ADMIN, { ...GRANT, roles: ['admin'], routes: null }, terms);
    const lasting = await changes.create(ADMIN, GRANT, TERMS);
    const caller = find(made.key) ?? expect.fail();
    const { size } = meta.values;
    const refused = { code: 'SVC-AUTH-002' };
    for (const expires_at of [null, inHours(clock, 3)]) {
      await expect(changes.create(caller, GRANT, { ...TERMS, expires_at })).rejects.toMatchObject(refused);
      await expect(changes.rotate(caller, made.stored.id, { ...ROTATE, expires_at })).rejects.toMatchObject(refused);
    }
    await expect(changes.rotate(caller, lasting.stored.id, ROTATE)).rejects.toMatchObject(refused);
    expect(meta.values.size).toBe(size);
    await changes.rotate(ADMIN, made.stored.id, ROTATE);
    await expect(changes.create(caller, GRANT, terms)).rejects.toMatchObject(refused);
    const soon = await changes.create(caller, GRANT, { ...TERMS, expires_at: inHours(clock, 1) });
    clock.advance(HOUR_MS);
    expect([find(soon.key), find(made.key), find(lasting.key)]).toMatchObject([null, null, GRANT]);
  });
});

describe('an admin who was authenticated and then loses the right', () => {
  const BOSS = { ...GRANT, principal_id: 'boss', roles: ['admin'], routes: null, team: null } as const;
  const actor = { principal_id: 'ada', issuer: null, subject: null };
  const stop: NewOperation = {
    action: 'state.changed',
    actor,
    target: { kind: 'principal', name: 'boss' },
    before: null,
    after: null,
    reason: null,
    change: { state: 'disabled' },
  };

  it.each([
    ['its key is revoked', 'SVC-AUTH-001', ({ changes }: Process, id: string) => changes.revoke(ADMIN, id, null)],
    [
      'its key is replaced',
      'SVC-AUTH-001',
      ({ changes }: Process, id: string) => changes.rotate(ADMIN, id, { ...ROTATE, overlap_s: 0 }),
    ],
    ['it is disabled', 'SVC-OPS-002', ({ append }: Process) => append(stop)],
  ] as const)('changes nothing: %s, by another process', async (_what, code, end) => {
    const one = keysOf();
    const other = keysOf(one.meta, one.clock);
    const target = await one.changes.create(ADMIN, GRANT, TERMS);
    const boss = await one.changes.create(ADMIN, BOSS, TERMS);
    const caller = one.find(boss.key) ?? expect.fail();
    await one.changes.create(caller, GRANT, TERMS);
    await end(other, boss.stored.id);
    const { size } = one.meta.values;
    await expect(one.changes.create(caller, BOSS, TERMS)).rejects.toMatchObject({ code });
    await expect(one.changes.rotate(caller, target.stored.id, ROTATE)).rejects.toMatchObject({ code });
    await expect(one.changes.revoke(caller, target.stored.id, null)).rejects.toMatchObject({ code });
    expect(one.meta.values.size).toBe(size);
  });
});

it('an admin whose session has ended changes nothing, however long the operation waited', async () => {
  const { log, stored, clock } = keysOf();
  const end = Promise.withResolvers<boolean>();
  const issuers = { stillKnows: () => end.promise };
  const assertStill = assertStillBy({ ring: new KeyRing([], stored), issuers }, new OperationalStates());
  const principals = { keysOf: () => [], isOfIssuer: () => false, hasRuns: async () => false };
  const changes = new KeyChanges({ log, keys: stored, clock, assertStill, principals });
  const person = { ...ADMIN, identity: { issuer: 'https://login.example.com', subject: 'ada' } };
  const creating = changes.create(person, GRANT, TERMS);
  end.resolve(false);
  await expect(creating).rejects.toMatchObject({ code: 'SVC-AUTH-001' });
  expect(await log.head()).toBeNull();
});

it('an operation sees what the operation before it recorded', async () => {
  const { changes, records } = keysOf();
  const { stored } = await changes.create(ADMIN, GRANT, TERMS);
  await changes.rotate(ADMIN, stored.id, ROTATE);
  await changes.revoke(ADMIN, stored.id, null);
  const [created, rotated, revoked] = await records();
  expect([created?.before, rotated?.before, revoked?.before]).toEqual([null, created?.after, rotated?.after]);
  expect(revoked?.after).toBeNull();
  expect(rotated?.after).not.toBe(rotated?.before);
});

it('a record of an unknown form makes no key valid, ends the key that it replaces, and still revokes a key', async () => {
  const { append, changes, find, stored: keys } = keysOf();
  const operation = { actor: { principal_id: 'ada', issuer: null, subject: null }, before: null, after: null, reason: null };
  const { key, stored } = await changes.create(ADMIN, GRANT, TERMS);
  const target = { kind: 'key', name: stored.id };
  await append({
    ...operation,
    action: 'key.created',
    target: { ...target, name: 'new' },
    change: { ...GRANT, roles: ['king'] },
  });
  await append({ ...operation, action: 'configuration.applied', target, change: {} });
  expect(find(key)).toMatchObject(GRANT);
  const replaced = await changes.create(ADMIN, GRANT, TERMS);
  const rotated = await append({
    ...operation,
    action: 'key.rotated',
    target: { ...target, name: replaced.stored.id },
    change: { until: '2999-01-01T00:00:00.000Z' },
  });
  expect([find(replaced.key), keys.get(replaced.stored.id)?.revoked_at]).toEqual([null, rotated.at]);
  expect(keys.apply(rotated)).toBe(false);
  await append({ ...operation, action: 'key.revoked', target, change: { later: true } });
  expect(find(key)).toBeNull();
});
