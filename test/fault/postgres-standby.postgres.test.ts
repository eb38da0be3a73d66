import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';
import { ReplicaLoad, replicaConfig } from './replica-load.ts';
import { available } from './unavailable.ts';

/** Five seconds, and some for a busy machine. */
const SOON_MS = 8_000;

let server: PostgresServer;
let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  server = await PostgresServer.start();
  upstream = await startUpstream();
  replicas = await Replicas.start(server.url, replicaConfig(upstream.url), 1);
});
afterEach(() => waitForStandby(''));
afterAll(async () => {
  await replicas.dispose();
  await server.stop();
  await upstream.close();
});

/** A standby of this name is waited for by every commit; there is none. */
async function waitForStandby(name: string): Promise<void> {
  await sql(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await sql(server.url, 'SELECT pg_reload_conf()');
}

async function hangingCommits(): Promise<number> {
  const [row] = await sql<{ n: string }>(server.url, `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  return Number(row?.n);
}

it('if a synchronous standby is lost: 503 within 5 s, no model is paid, health reports it, and service resumes when it is back', {
  timeout: 180_000,
}, async () => {
  const [gateway] = replicas.all;
  if (gateway === undefined) throw new Error('no replica');
  await gateway.chat('hello');
  await waitForStandby('lost');
  const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const since = performance.now();
    const done = await work;
    return [done, performance.now() - since];
  };
  const first = timed(gateway.chat('hello'));
  await until(async () => (await hangingCommits()) !== 0);
  const lost = performance.now();
  const paid = upstream.requests.length;
  await until(async () => (await gateway.get('/v1/health')).status !== 200);
  expect(performance.now() - lost).toBeLessThan(4_000);
  const asked = await Promise.all([
    first,
    ...Array.from({ length: 20 }, (_, n) => timed(gateway.chat('hello', { stream: n % 2 === 0 }))),
  ]);
  for (const [{ status, body }, took] of asked) {
    expect([status, body.code]).toEqual([503, 'SVC-STORE-001']);
    expect(took).toBeLessThan(SOON_MS);
  }
  // None of those who came when it was lost already.
  expect(upstream.requests).toHaveLength(paid);
  const [health, took] = await timed(gateway.get('/v1/health'));
  expect([health.status, took < 4_000]).toEqual([503, true]);

  // The connection, too, is given up; whether its commit came through is not known yet.
  await gateway.until((output) => (/"commit_failed".*"StoreError"/.test(output) ? true : undefined));
  await waitForStandby('');
  await available(gateway);
  const load = new ReplicaLoad();
  load.drive(gateway);
  await load.answered(10, gateway);
  await load.stop();
  // Rows and evidence agree: what came through late is there once.
  await load.settle(gateway);
});

it('a gateway can be stopped meanwhile', { timeout: 120_000 }, async () => {
  const gateway = await replicas.add();
  await waitForStandby('lost');
  const hanging = gateway.chat('hello').catch(() => null);
  await until(async () => (await hangingCommits()) !== 0);
  const since = performance.now();
  await gateway.stop();
  expect(performance.now() - since).toBeLessThan(25_000);
  await hanging;
  await waitForStandby('');
  await available(await replicas.add());
});

it('a start while the database restarts waits for it, and logs this', { timeout: 120_000 }, async () => {
  await server.halt();
  const [gateway] = replicas.all;
  if (gateway === undefined) throw new Error('no replica');
  await gateway.stop('SIGKILL');
  const started = gateway.launch();
  await gateway.logged('store_awaited');
  await server.resume();
  await started;
  await available(gateway);
});
