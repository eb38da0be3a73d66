import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Replicas } from '../harness/replicas.ts';
import { LONG, ROUNDS_TIMEOUT_MS, rounds } from './form.ts';
import { ReplicaLoad, replicaConfig, slowly } from './replica-load.ts';
import { available, expectUnavailable } from './unavailable.ts';

let server: PostgresServer;
let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  server = await PostgresServer.start();
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(server.url, replicaConfig(upstream.url), 2);
});
afterAll(async () => {
  await replicas.dispose();
  await server.stop();
  await upstream.close();
});

it.each(['halt', 'crash'] as const)('the database restarts under load (%s)', { timeout: ROUNDS_TIMEOUT_MS }, async (end) => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const _ of rounds(1, 30)) {
    await load.answered(10, ...replicas.all);
    await server[end]();
    await server.resume();
    await load.answered(10, ...replicas.all);
  }
  await load.stop();
  for (const gateway of replicas.all) await load.settle(gateway);
});

it('while the database is unavailable everything answers 503, and service resumes when it is back', {
  timeout: 300_000,
}, async () => {
  const load = new ReplicaLoad();
  const paused = (await replicas.all[0]?.chat('a wire transfer'))?.body.svc_run_id;
  const pids = replicas.all.map(({ pid }) => pid);
  // Without a write that could have failed before it is asked.
  await server.halt();
  for (const gateway of replicas.all) expect((await gateway.get('/v1/health')).status).toBe(503);
  await Promise.all(replicas.all.map((gateway) => expectUnavailable(gateway, paused)));
  await server.resume();
  await Promise.all(replicas.all.map(available));

  for (const gateway of replicas.all) load.drive(gateway);
  await load.answered(10, ...replicas.all);
  await server.halt();
  await load.refusals(20);
  await Promise.all(replicas.all.map((gateway) => expectUnavailable(gateway, paused)));
  // Long enough that every lease has run out.
  await delay(LONG ? 40_000 : 0);
  await server.resume();
  await load.answered(10, ...replicas.all);
  await load.stop();
  for (const gateway of replicas.all) await load.settle(gateway);
  expect(replicas.all.map(({ pid }) => pid)).toEqual(pids);
});
