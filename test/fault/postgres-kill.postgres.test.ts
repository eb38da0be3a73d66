import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';
import { pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';
import { ReplicaLoad, replicaConfig, slowly } from './replica-load.ts';

/** As many background runs as one process works on at once; those after them wait. */
const AT_ONCE = 32;
const WAITING = 4;

let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(inject('postgres'), replicaConfig(upstream.url), 3);
});
afterAll(async () => {
  await replicas.dispose();
  await upstream.close();
});

it(`kill -9 of any replica, again and again, under load (SVC_FAULT_SEED=${SEED})`, { timeout: ROUNDS_TIMEOUT_MS }, async () => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  for (const round of rounds(2, 1000)) {
    await load.answered(1 + pick(`answers ${round}`, 40), ...replicas.all);
    const victim = replicas.all[pick(`victim ${round}`, replicas.all.length)];
    if (victim === undefined) throw new Error('no such replica');
    await victim.stop('SIGKILL');
    const others = replicas.all.filter((gateway) => gateway !== victim);
    // The others go on meanwhile.
    await load.answered(10, ...others);
    await victim.launch();
    load.drive(victim);
  }
  await load.answered(1, ...replicas.all);
  await load.stop();
  await load.settle(await replicas.add());
  expect(load.refused).toBe(0);
});

it('another replica finishes the work of a killed one: running runs are interrupted, pending ones are run once', {
  timeout: 180_000,
}, async () => {
  const [victim, other] = replicas.all;
  if (victim === undefined || other === undefined) throw new Error('no replicas');
  upstream.respond(...Array.from({ length: AT_ONCE }, () => stalled()));
  const ids: string[] = [];
  for (let n = 0; n < AT_ONCE + WAITING; n += 1) {
    const body = { background: true, messages: [{ role: 'user', content: 'hello' }] };
    ids.push((await victim.post('/v1/runs', body)).body.run_id);
  }
  const paused = (await victim.chat('a wire transfer')).body.svc_run_id;
  await upstream.received(AT_ONCE);
  // Those at once leave nothing for a chat of this replica to wait behind.
  await victim.stop('SIGKILL');
  // Of this machine, so that its lease need not run out.
  await replicas.add();

  const read = async (run_id: string) => (await other.get(`/v1/runs/${run_id}`)).body;
  const left = async (status: string): Promise<number> => (await other.get(`/v1/audit?status=${status}`)).body.runs.length;
  await until(async () => (await left('pending')) + (await left('running')) === 0);
  const statuses = (await Promise.all(ids.map(read))).map(({ status }) => status);
  expect(statuses).toEqual(ids.map((_, n) => (n < AT_ONCE ? 'error' : 'completed')));
  const resumed = await other.post(`/v1/runs/${paused}/resume`, { decision: 'approved' }, 'bob');
  expect(resumed.body).toMatchObject({ status: 'completed' });
  const evidence = await evidenceByRun(other);
  for (const run_id of [...ids, paused]) expect(evidence.get(run_id)?.status).toBe((await read(run_id)).status);
});
