import { hkdfSync } from 'node:crypto';
import type { Store } from '@svc/contracts';
import { type ContentKeys, KeyTree } from '@svc/runtime/content';
import { type FakeClock, fakeClock } from '@svc/sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seal } from '../../host/src/oidc/sealed.ts';
import { csrfOf, Sessions } from '../../host/src/oidc/sessions.ts';
import { openStore, temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';

const MINUTE = 60_000;
const LIMITS = { idle_ms: 30 * MINUTE, absolute_ms: 480 * MINUTE };
const ANNA = { issuer: 'https://login.example.com', claims: { sub: 'anna', groups: ['users'], email: 'anna@example.com' } };

const KEYS: ContentKeys = { newest: KeyTree.generate(), older: [], forget: null };

let clock: FakeClock;
let store: Store;
let remove: () => void;
beforeEach(async () => {
  clock = fakeClock();
  const { folder, remove: removeFolder } = temporaryFolder();
  remove = removeFolder;
  store = await openStore(folder, clock);
});
afterEach(async () => {
  await store.close();
  remove();
});

type Leases = Pick<Store, 'acquireLease' | 'releaseLease' | 'leaseHolder' | 'forgetLeases'>;

/** Of one process. @param over what it meets at the store in place of what the store does */
const sessions = (over: Partial<Leases> = {}, keys = KEYS): Sessions => {
  const leases: Leases = {
    acquireLease: (...asked) => store.acquireLease(...asked),
    releaseLease: (lease) => store.releaseLease(lease),
    leaseHolder: (name) => store.leaseHolder(name),
    forgetLeases: (...asked) => store.forgetLeases(...asked),
    ...over,
  };
  return new Sessions(Promise.resolve(leases), clock, LIMITS, keys);
};

it("returns a session's data in every process, until it was idle for too long", async () => {
  const [one, other] = [sessions(), sessions()];
  const id = await one.open(ANNA);
  expect(await other.find(id)).toMatchObject(ANNA);
  for (let used = 0; used < 3; used += 1) {
    clock.advance(LIMITS.idle_ms - 1);
    expect(await one.find(id)).toMatchObject(ANNA);
  }
  clock.advance(LIMITS.idle_ms);
  expect(await one.find(id)).toBeNull();
  expect(await other.find(id)).toBeNull();
});

it('ends at the absolute limit, however much it is used', async () => {
  const used = sessions();
  const id = await used.open(ANNA);
  for (let at = 0; at < LIMITS.absolute_ms - MINUTE; at += MINUTE) {
    clock.advance(MINUTE);
    if (at % (10 * MINUTE) === 0) expect(await used.find(id)).not.toBeNull();
  }
  expect(await used.find(id)).not.toBeNull();
  clock.advance(MINUTE);
  expect(await used.find(id)).toBeNull();
});

it('writes at most once a minute', async () => {
  let renewals = 0;
  const counted = sessions({
    acquireLease: (...asked) => {
      renewals += 1;
      return store.acquireLease(...asked);
    },
  });
  const id = await counted.open(ANNA);
  for (let second = 0; second < 119; second += 1) {
    clock.advance(1000);
    await counted.find(id);
  }
  expect(renewals).toBe(2);
});

it('ends in every process at once, even for a request that is just renewing it', async () => {
  const ending = sessions();
  const id = await ending.open(ANNA);
  const found = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const slow = sessions({
    acquireLease: async (...asked) => {
      found.resolve();
      await ended.promise;
      return store.acquireLease(...asked);
    },
  });
  const late = slow.find(id);
  await found.promise;
  await ending.end(id);
  ended.resolve();
  expect(await late).toBeNull();
  for (const process of [ending, slow, sessions()]) expect(await process.find(id)).toBeNull();
  await ending.end(id);
  expect(await sessions().find(id)).toBeNull();
});

it('ends even if a request renews it at the same time', async () => {
  const id = await sessions().open(ANNA);
  let renewals = 0;
  const ending = sessions({
    releaseLease: async (lease) => {
      await store.releaseLease(lease);
      if (renewals++ < 2) await store.acquireLease(lease.name, lease.holder, LIMITS.idle_ms);
    },
  });
  await ending.end(id);
  expect(renewals).toBe(3);
  expect(await sessions().find(id)).toBeNull();
});

it('stores nothing that names the person or grants access', async () => {
  const id = await sessions().open(ANNA);
  const items: string[] = [];
  const taken: string[] = [];
  const seen = sessions({
    acquireLease: (...asked) => {
      taken.push(JSON.stringify(asked));
      return store.acquireLease(...asked);
    },
  });
  expect(await seen.find(id)).not.toBeNull();
  for await (const item of store.dump()) items.push(JSON.stringify(item));
  const told = [...items, ...taken].join();
  expect(told).toContain('session/');
  for (const secret of [id, csrfOf(id), 'anna', 'login.example.com']) expect(told).not.toContain(secret);
});

it('accepts no other ids, even if someone put entries for them into the store', async () => {
  const process = sessions();
  const [mine, other] = [await process.open(ANNA), await process.open({ ...ANNA, issuer: 'other' })];
  for (const id of ['', 'x', `${mine}x`, mine.slice(1), `${mine.slice(0, 42)}${mine.endsWith('A') ? 'B' : 'A'}`])
    expect(await process.find(id)).toBeNull();
  // Whoever may write to the store cannot make one session of another.
  const swapped = sessions({ leaseHolder: async (name) => store.leaseHolder(name === names[0] ? (names[1] ?? '') : name) });
  const names = await leaseNames();
  expect(await Promise.all([swapped.find(mine), swapped.find(other)])).toContain(null);
});

it('accepts no session made without the content key, even with write access to the store', async () => {
  const id = await sessions().open(ANNA);
  const [name = ''] = await leaseNames();
  const write = async (holder: string): Promise<void> => {
    const lease = await store.acquireLease(name, (await store.leaseHolder(name)) ?? '', 1);
    if (lease !== null) await store.releaseLease(lease);
    expect(await store.acquireLease(name, holder, LIMITS.idle_ms)).not.toBeNull();
  };
  const sealed = (await store.leaseHolder(name)) ?? expect.fail();
  for (const salt of ['', Buffer.alloc(32), KeyTree.generate().keyFor('page sessions') ?? '']) {
    const key = Buffer.from(hkdfSync('sha256', id, salt, 'svc session content', 32));
    await write(await seal({ ...ANNA }, key, clock.now() + LIMITS.absolute_ms));
    expect(await sessions().find(id)).toBeNull();
  }
  await write(sealed);
  expect(await sessions().find(id)).toMatchObject(ANNA);
});

it('outlives a rotation of the content key as long as the old one is configured', async () => {
  const id = await sessions().open(ANNA);
  const newest = KeyTree.generate();
  expect(await sessions({}, { ...KEYS, newest, older: [KEYS.newest] }).find(id)).toMatchObject(ANNA);
  expect(await sessions({}, { ...KEYS, newest }).find(id)).toBeNull();
});

it('deletes expired sessions when someone signs in', async () => {
  const process = sessions();
  await process.open(ANNA);
  await process.end(await process.open(ANNA));
  expect(await leaseNames()).toHaveLength(2);
  clock.advance(LIMITS.absolute_ms + 60 * MINUTE);
  const id = await process.open(ANNA);
  expect(await leaseNames()).toHaveLength(1);
  expect(await process.find(id)).not.toBeNull();
});

async function leaseNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const item of store.dump()) if (item.kind === 'lease' && item.name.startsWith('session/')) names.push(item.name);
  return names;
}
