import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { DatabaseProxy } from '../harness/database-proxy.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { LONG, pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { ReplicaLoad, replicaConfig, slowly } from './replica-load.ts';
import { available, expectUnavailable } from './unavailable.ts';

let upstream: Upstream;
let replicas: Replicas;
let proxy: DatabaseProxy;
/** Reaches the database through the proxy; the others of `replicas.all` do not. */
let behind: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(inject('postgres'), replicaConfig(upstream.url), 1);
  proxy = await DatabaseProxy.start(replicas.url);
  behind = await replicas.add(proxy.url);
  const [first] = replicas.all;
  if (first === undefined) throw new Error('no replica');
  other = first;
});
afterAll(async () => {
  await replicas.dispose();
  await proxy.close();
  await upstream.close();
});

async function terminateAll(): Promise<void> {
  await sql(
    replicas.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

it(`connections are cut repeatedly, by the server and on the way (SVC_FAULT_SEED=${SEED})`, {
  timeout: ROUNDS_TIMEOUT_MS,
}, async () => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const round of rounds(4, 500)) {
    await load.answered(1 + pick(`answers ${round}`, 10), ...replicas.all);
    if (pick(`how ${round}`, 2) === 0) await terminateAll();
    else proxy.cut();
  }
  await load.answered(10, ...replicas.all);
  await load.stop();
  for (const gateway of replicas.all) await load.settle(gateway);
});

it.each([
  ['before it is written', 'FROM svc.head FOR UPDATE'],
  ['after it is written', 'COMMIT'],
])('a connection that breaks during a commit, %s, loses no answer', async (_, text) => {
  const requests = upstream.requests.length;
  for (const stream of [false, true]) {
    const load = new ReplicaLoad();
    const held = proxy.holdAnswerTo(text);
    const asked = behind.chat('hello', { stream });
    await held;
    proxy.cut();
    const { status, text: answer } = await asked;
    expect(status).toBe(200);
    expect(answer).not.toContain('SVC-STORE-001');
    await load.settle(other);
    // Which tries a write: the next commit is that of a run again.
    await available(behind);
  }
  // No model was paid twice.
  expect(upstream.requests).toHaveLength(requests + 2);
});

it(`a network that is silent for a moment (SVC_FAULT_SEED=${SEED})`, { timeout: ROUNDS_TIMEOUT_MS }, async () => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const round of rounds(1, 300)) {
    await load.answered(1 + pick(`answers ${round}`, 10), ...replicas.all);
    proxy.silence();
    await load.answered(10, other);
    proxy.speak();
  }
  await load.answered(10, behind, other);
  await load.stop();
  await load.settle(behind);
});

it('a silent network: 503 within the time limit, the other replica keeps serving, and all recover when it is back', {
  timeout: 300_000,
}, async () => {
  const leaving = await replicas.add(proxy.url);
  const paused = (await behind.chat('a wire transfer')).body.svc_run_id;
  const load = new ReplicaLoad();
  // One client each: the others wait for a time limit of twenty seconds.
  for (const gateway of replicas.all) load.drive(gateway, 1);
  await load.answered(10, ...replicas.all);
  proxy.silence();
  // One that is told to stop meanwhile ends.
  const stopped = leaving.stop();
  await expectUnavailable(behind, paused);
  await load.answered(10, other);
  // By itself; with 1 where it left something.
  expect([0, 1]).toContain(await stopped);
  await delay(LONG ? 40_000 : 0);
  proxy.speak();
  await available(behind);
  await load.answered(10, behind, other);
  await load.stop();
  // What the one that left could not end is for others.
  await load.settle(await replicas.add());
});
