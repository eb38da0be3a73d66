import { describe, expect, it } from 'vitest';
import { handClock } from '../../test-parts.ts';
import { SharedStore } from '../test-store.ts';
import { instanceName } from './instance-name.ts';
import { Membership, RENEW_EVERY_MS } from './membership.ts';

const LEASE_MS = 30_000;
const A = 'instance-a';
const B = 'instance-b';

function scene() {
  const store = new SharedStore();
  const clock = handClock();
  const [a, b] = [new Membership(store, A, clock), new Membership(store, B, clock)];
  /** Advances all clocks. The members in `alive` renew their leases at the usual interval. */
  const pass = async (ms: number, ...alive: readonly Membership[]): Promise<void> => {
    for (let left = ms; left > 0; left -= RENEW_EVERY_MS) {
      const step = Math.min(left, RENEW_EVERY_MS);
      clock.advance(step);
      store.clock.advance(step);
      for (const one of alive) await one.renew().catch(() => undefined);
    }
  };
  return { store, clock, a, b, pass };
}

it('treats no process as dead right after its own start: leases may have expired while the store was unavailable', async () => {
  const { store, a, b, pass } = scene();
  await a.renew();
  store.away = true;
  await pass(60_000, a);
  store.away = false;
  await b.renew();
  expect(await b.isDead(A)).toBe(false);
  await pass(LEASE_MS - 1, b);
  expect(await b.isDead(A)).toBe(false);
  await pass(1, b);
  expect(await b.isDead(A)).toBe(true);
});

it('a process that started after an outage never removes one that renews its lease', async () => {
  const { store, a, b, pass } = scene();
  await a.renew();
  store.away = true;
  await pass(60_000, a);
  store.away = false;
  await b.renew();
  for (let n = 0; n < 20; n += 1) {
    await pass(RENEW_EVERY_MS, b, a);
    expect(await b.isDead(A)).toBe(false);
  }
});

it('a process that does not renew its lease counts as gone once it has expired, for those that could have seen it', async () => {
  const { a, b, pass } = scene();
  await a.renew();
  await b.renew();
  await pass(2 * LEASE_MS, a, b);
  await pass(LEASE_MS - RENEW_EVERY_MS, b);
  expect(await b.isDead(A)).toBe(false);
  await pass(RENEW_EVERY_MS, b);
  expect(await b.isDead(A)).toBe(true);
});

it('an outage restarts the waiting time', async () => {
  const { store, a, b, pass } = scene();
  await b.renew();
  await pass(2 * LEASE_MS, b);
  await a.renew();
  store.away = true;
  await pass(LEASE_MS, b);
  store.away = false;
  // It does not count as dead, neither before nor after the own lease is renewed.
  expect(await b.isDead(A)).toBe(false);
  await b.renew();
  expect(await b.isDead(A)).toBe(false);
  await pass(LEASE_MS, b);
  expect(await b.isDead(A)).toBe(true);
});

it('after a sleep of machine and clock, treats no process as dead because its lease expired meanwhile', async () => {
  const { store, a, b, pass } = scene();
  await a.renew();
  await b.renew();
  await pass(2 * LEASE_MS, a, b);
  store.clock.advance(3_600_000);
  await b.renew();
  expect(await b.isDead(A)).toBe(false);
  await a.renew();
  await pass(2 * LEASE_MS, a, b);
  expect(await b.isDead(A)).toBe(false);
});

it('a process that shut down normally counts as gone at once', async () => {
  const { a, b, pass } = scene();
  await a.renew();
  await b.renew();
  await pass(LEASE_MS, a, b);
  expect(await b.isDead(A)).toBe(false);
  await a.end();
  expect(await b.isDead(A)).toBe(true);
});

describe('immediately after the start count as gone', () => {
  it('all others, if the store is for a single process', async () => {
    const store = new SharedStore({ exclusive: true });
    const only = new Membership(store, B, handClock());
    await only.renew();
    expect(await only.isDead(A)).toBe(true);
    expect(await only.isDead(B)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('processes of this machine that have ended, and those alone', async () => {
    const { b } = scene();
    await b.renew();
    const living = instanceName();
    const [boot, namespace, pid, started, rest] = living.split('.');
    expect(await b.isDead(living)).toBe(false);
    expect(await b.isDead([boot, namespace, pid, Number(started) - 1, rest].join('.'))).toBe(true);
  });
});
