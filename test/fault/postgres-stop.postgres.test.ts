import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { type Behaviour, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { DatabaseProxy } from '../harness/database-proxy.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';
import { LONG, pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { ReplicaLoad, replicaConfig, slowly } from './replica-load.ts';

/** What whoever seals asks for first. */
const LOCK_HEAD = 'FROM svc.head FOR UPDATE';

let upstream: Upstream;
let replicas: Replicas;
let proxy: DatabaseProxy;
beforeAll(async () => {
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(inject('postgres'), replicaConfig(upstream.url), 2);
  proxy = await DatabaseProxy.start(replicas.url);
});
afterEach(() => {
  for (const { pid } of replicas.all) process.kill(pid, 'SIGCONT');
});
afterAll(async () => {
  await replicas.dispose();
  await proxy.close();
  await upstream.close();
});

it('a replica that is stopped while it holds the head of the ledger keeps the others waiting for seconds, and loses nothing', {
  timeout: 600_000,
}, async () => {
  const others = [...replicas.all];
  const stopped = await replicas.add(proxy.url);
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const _ of rounds(1, 20)) {
    await load.answered(5, ...replicas.all);
    const letGo = await proxy.holdAnswerTo(LOCK_HEAD);
    process.kill(stopped.pid, 'SIGSTOP');
    // Its answer is there when it wakes: it will think that it holds the head.
    letGo();
    await load.answered(10, ...others);
    process.kill(stopped.pid, 'SIGCONT');
    await load.answered(10, ...replicas.all);
  }
  await load.stop();
  await load.settle(stopped);
});

it(`replicas that are stopped at any moment and wake (SVC_FAULT_SEED=${SEED})`, { timeout: ROUNDS_TIMEOUT_MS }, async () => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const round of rounds(3, 200)) {
    const [one, other] = pick(`one ${round}`, 2) === 0 ? replicas.all : replicas.all.toReversed();
    if (one === undefined || other === undefined) throw new Error('no replicas');
    await load.answered(1 + pick(`answers ${round}`, 5), one, other);
    process.kill(one.pid, 'SIGSTOP');
    await load.answered(10, other);
    if (LONG && round % 20 === 0) await delay(30_000);
    process.kill(one.pid, 'SIGCONT');
  }
  await load.answered(10, ...replicas.all);
  await load.stop();
  for (const gateway of replicas.all) await load.settle(gateway);
});

it('a replica that wakes after others took over its runs gives them up and keeps serving', {
  timeout: 180_000,
}, async () => {
  const [sleeper, other] = replicas.all;
  if (sleeper === undefined || other === undefined) throw new Error('no replicas');
  const instance = await replicas.instanceOf(sleeper);
  // Under way in it: background runs that run and that wait, a stream, and a chat.
  const atOnce = 32;
  const asked = upstream.requests.length;
  const gate = Promise.withResolvers<void>();
  const gated: Behaviour = async (request, response) => {
    await gate.promise;
    await slowly(request, response);
  };
  upstream.respond(...Array.from({ length: atOnce + 2 }, () => gated));
  const background: string[] = [];
  for (let n = 0; n < atOnce + 4; n += 1) {
    const body = { background: true, messages: [{ role: 'user', content: 'hello' }] };
    background.push((await sleeper.post('/v1/runs', body)).body.run_id);
  }
  await upstream.received(asked + atOnce);
  const stream = sleeper.chat('hello', { stream: true });
  const chat = sleeper.chat('hello');
  await upstream.received(asked + atOnce + 2);

  process.kill(sleeper.pid, 'SIGSTOP');
  if (LONG) await delay(31_000);
  else await replicas.lapse(instance);
  const status = async (run_id: string): Promise<string> => (await other.get(`/v1/runs/${run_id}`)).body.status;
  const left = async (of: string): Promise<number> => (await other.get(`/v1/audit?status=${of}`)).body.runs.length;
  // Stream and chat among them: their starts are on disk.
  await until(async () => (await left('pending')) + (await left('running')) === 0);
  const expected = background.map((_, n) => (n < atOnce ? 'error' : 'completed'));
  expect(await Promise.all(background.map(status))).toEqual(expected);

  process.kill(sleeper.pid, 'SIGCONT');
  gate.resolve();
  // It has evidence of another end by now, so its answer is not given.
  const { status: answered, body: refused } = await chat;
  expect(`${answered} ${refused.code}`).toBe('503 SVC-STORE-001');
  await stream;
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  await load.answered(10, ...replicas.all);
  await load.stop();
  await load.settle(sleeper);
  expect(await Promise.all(background.map(status))).toEqual(expected);
});

it('a replica that starts right after an outage in which leases expired leaves the runs of others alone', {
  timeout: 120_000,
}, async () => {
  // Alone: one that ran all the time would have seen that the lease ran out.
  const alone = await Replicas.start(inject('postgres'), replicaConfig(upstream.url), 1);
  onTestFinished(() => alone.dispose());
  const [owner] = alone.all;
  if (owner === undefined) throw new Error('no replicas');
  const instance = await alone.instanceOf(owner);
  const asked = upstream.requests.length;
  const gate = Promise.withResolvers<void>();
  upstream.respond(async (request, response) => {
    await gate.promise;
    await slowly(request, response);
  });
  const body = { background: true, messages: [{ role: 'user', content: 'hello' }] };
  const { run_id } = (await owner.post('/v1/runs', body)).body;
  await upstream.received(asked + 1);
  // It has had no time to renew its lease.
  process.kill(owner.pid, 'SIGSTOP');
  await alone.lapse(instance);
  const started = await alone.add();
  const read = async () => (await started.get(`/v1/runs/${run_id}`)).body.status;
  expect(await read()).toBe('running');
  process.kill(owner.pid, 'SIGCONT');
  gate.resolve();
  await until(async () => (await read()) !== 'running');
  expect(await read()).toBe('completed');
});
