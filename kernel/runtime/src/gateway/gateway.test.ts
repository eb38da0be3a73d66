import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject, Logger, Provider } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { noopObserver } from '@svc/kernel/observing';
import { NO_WORKERS } from '@svc/kernel/workers';
import { signingKey } from '@svc/ledger';
import { CHAT } from '@svc/protocols';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ContentKeys } from '../content/key-tree.ts';
import { KeyTree } from '../content/key-tree.ts';
import { TRUSTED_APPROVERS } from '../pauses/approver.ts';
import { changeState } from '../records/states/change-state.ts';
import { ALLOW, guardOf, handClock, nodeOf, providerOf, routeOf } from '../test-parts.ts';
import { Gateway } from './gateway.ts';
import { SharedStore } from './test-store.ts';

const SIGNING_KEY = signingKey(generateKeyPairSync('ed25519').privateKey);
const CONTENT_KEYS = { newest: KeyTree.generate(), older: [], forget: null };
const LEASE_MS = 30_000;
const EXPIRE_AFTER_MS = 600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A gateway over a shared store. A run whose text is `wait` pauses. No run ends before `settled` resolves. */
async function scene(store = new SharedStore(), content_keys: ContentKeys = CONTENT_KEYS) {
  const clock = handClock();
  const log: JsonObject[] = [];
  const keep = (line: JsonObject): void => void log.push(line);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const settled = Promise.withResolvers<null>();
  const guard = guardOf((segments) =>
    segments.some(({ text }) => text === 'wait') ? { ...ALLOW, verdict: 'require_approval', code: 'waits' } : ALLOW,
  );
  const reservations = { revalidate: () => ALLOW, settle: () => settled.promise };
  const node = nodeOf('slow', { ...guard, reservations }, { timeout_ms: 1_000_000 });
  const route = routeOf({ ingress: [node] });
  const options = {
    store,
    clock,
    workers: NO_WORKERS,
    count_tokens: null,
    logger,
    observer: noopObserver,
    config_digest: 'config-digest',
    record_content: false,
  };
  const bytes = new BytesInFlight(Number.POSITIVE_INFINITY);
  const gateway = await Gateway.open({
    ...options,
    bytes,
    routes: [{ runtime: route, inventory: { review_interval_days: null, config_path: '', definition: {} as never } }],
    record_start: true,
    result_ttl_ms: 60_000,
    expire_after_ms: EXPIRE_AFTER_MS,
    max_paused: { in_all: 100, per_principal: 100 },
    reuse_for_ms: 60_000,
    retention_ms: null,
    content_keys,
    seals_inventory: false,
    ledger: {
      origin: 'test',
      signing_keys: [SIGNING_KEY],
      not_signed: null,
      checkpoint_pin: null,
      witnessing: null,
      timestamping: null,
    },
    approvers: TRUSTED_APPROVERS,
    exporters: [],
    retrieval: null,
  });
  const start = (content: string, provider?: Provider) =>
    gateway.runs.start({
      route: provider === undefined ? route : routeOf({ ingress: [node], provider }),
      principal_id: 'alice',
      protocol: CHAT,
      request: { model: route.name, messages: [{ role: 'user', content }] },
      approvers: [],
      keepAnswer: false,
      keepRequest: false,
      synchronous: false,
      idempotency_key: null,
      traceparent: null,
      sink: null,
      bytes: bytes.reserve(),
    });
  /** Advances timers and all clocks. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1000) {
      clock.advance(1000);
      store.clock.advance(1000);
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  const held = (): string[] =>
    [...store.leases].filter(([, { holder }]) => holder !== null).map(([name]) => name.split('/')[0] ?? '');
  const lives = (): boolean =>
    [...store.leases].some(
      ([name, { holder, until }]) => name.startsWith('instance/') && holder !== null && until > store.clock.now(),
    );
  return { gateway, store, clock, log, settled, start, pass, held, lives };
}

it('renews its lease until its last run has ended, and then releases every lease', async () => {
  const { gateway, settled, start, pass, held, lives } = await scene();
  await pass(60_000);
  expect(held().sort()).toEqual(['checkpoint', 'expiry', 'instance']);
  const run = start('hello');
  await pass(1000);
  let closed = false;
  const closing = gateway.close().then(() => {
    closed = true;
  });
  await pass(3 * LEASE_MS);
  expect([closed, lives()]).toEqual([false, true]);
  settled.resolve(null);
  await pass(1000);
  await closing;
  expect((await run).row.status).toBe('completed');
  expect(held()).toEqual([]);
});

it('continues periodic work after the store was unavailable, and logs it', async () => {
  const { gateway, store, log, settled, pass, lives } = await scene();
  settled.resolve(null);
  store.away = true;
  await pass(120_000);
  const failed = new Set(log.map(({ event }) => event).filter((event) => String(event).endsWith('_failed')));
  expect(failed).toEqual(
    new Set(['lease_renewal_failed', 'operations_failed', 'recovery_failed', 'expiry_failed', 'checkpoint_failed']),
  );
  store.away = false;
  await pass(1000);
  expect(lives()).toBe(true);
  await pass(60_000);
  expect([...store.leases.keys()]).toEqual(expect.arrayContaining(['expiry', 'checkpoint']));
  await gateway.close();
});

it('a clock that runs ahead on one machine denies no run early, and is logged', async () => {
  const { gateway, store, clock, log, settled, start, pass } = await scene();
  settled.resolve(null);
  const { row } = await start('wait');
  clock.advance(EXPIRE_AFTER_MS);
  await pass(60_000);
  expect(store.rows.get(row.run_id)?.status).toBe('paused');
  expect(log).toContainEqual({ event: 'clock_skew', ahead_ms: EXPIRE_AFTER_MS });
  await pass(EXPIRE_AFTER_MS);
  expect(store.rows.get(row.run_id)?.status).toBe('denied');
  await gateway.close();
});

it('reads no old runs before the store has checked its content', async () => {
  const looked = Promise.withResolvers<void>();
  const store = Object.assign(new SharedStore(), { whenChecked: () => looked.promise });
  const runs = vi.spyOn(store, 'runs');
  const { gateway, settled, pass } = await scene(store);
  settled.resolve(null);
  await pass(60_000);
  expect(runs).not.toHaveBeenCalled();
  expect([await gateway.ready(), await gateway.writable()]).toEqual([false, true]);
  looked.resolve();
  await pass(1000);
  expect(runs).toHaveBeenCalled();
  expect(await gateway.ready()).toBe(true);
  await gateway.close();
});

it('deletes the leases of instances that ended days ago', async () => {
  const store = new SharedStore();
  store.leases.set('instance/long-gone', { holder: 'long-gone', token: 1, until: 0 });
  const { gateway, settled, pass } = await scene(store);
  settled.resolve(null);
  await pass(60_000);
  expect(store.leases.has('instance/long-gone')).toBe(true);
  store.clock.advance(24 * 3_600_000);
  await pass(60_000);
  expect(store.leases.has('instance/long-gone')).toBe(false);
  await gateway.close();
});

it('refuses a run that was admitted before the end but had not begun', async () => {
  const { gateway, store, start } = await scene();
  const refused = expect(start('hello')).rejects.toMatchObject({ code: 'SVC-BUSY-002' });
  await gateway.close();
  await refused;
  expect(store.rows.size).toBe(0);
});

it.each([
  ['ahead of', 400_000],
  ['behind', -400_000],
])('a machine whose clock is far %s the others is refused before it writes anything', async (way, ahead_ms) => {
  const store = new SharedStore();
  store.clock.advance(-ahead_ms);
  await expect(scene(store)).rejects.toThrow(`7 minutes ${way}`);
  expect([store.leases.size, store.meta.size]).toEqual([0, 0]);
});

it('rewraps, with the newest content key, what another gateway stored before it had that key', async () => {
  const [before, newest] = [KeyTree.generate(), KeyTree.generate()];
  const store = new SharedStore();
  const late = await scene(store, { newest: before, older: [], forget: null });
  const first = await scene(store, { newest, older: [before], forget: null });
  const told = () => first.log.filter(({ event }) => event === 'content_rewrapped');
  await first.pass(3_500_000);
  expect(told()).toMatchObject([{ runs: 0, left: 0 }]);
  late.clock.advance(store.clock.now() - late.clock.now());
  expect((await late.start('wait')).row.status).toBe('paused');
  await first.pass(300_000);
  expect(told().slice(1)).toMatchObject([{ runs: 1, left: 0 }]);
});

it('a stop by an operator in one process ends runs in another within 2 seconds', async () => {
  const store = new SharedStore();
  const one = await scene(store);
  const other = await scene(store);
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
  const instance = providerOf(() => {
    begins();
    return new Promise(() => undefined);
  });
  const under_way = other.start('hello', instance);
  await begun;
  const actor = { principal_id: 'ada', issuer: null, subject: null };
  const target = { kind: 'route', name: 'default' } as const;
  const { operations, states } = one.gateway;
  const record = await changeState(
    operations,
    states,
    { target, state: 'disabled', reason: null, for_s: null, actor },
    { two_person: false, isOperator: () => true },
  );
  for (const { settled } of [one, other]) settled.resolve(null);
  await other.pass(2000);
  const { row, error, events } = await under_way;
  expect([row.status, error?.code]).toEqual(['error', 'SVC-OPS-001']);
  const stopped = events.find(({ event_type }) => event_type === 'stopped');
  expect(stopped?.data).toMatchObject({ code: 'route_disabled', operation: record?.seq });
  for (const { start } of [one, other]) await expect(start('hello')).rejects.toMatchObject({ code: 'SVC-OPS-001' });
  const later = await scene(store);
  expect(later.log).toContainEqual({ event: 'state_in_force', kind: 'route', name: 'default', state: 'disabled' });
  await expect(later.start('hello')).rejects.toMatchObject({ code: 'SVC-OPS-001' });
  for (const { gateway } of [one, other, later]) await gateway.close();
});
