import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { readContentKey } from '../../host/src/key-storage/key-file.ts';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';

/** Two processes of one machine, which keep one content key in one file. */
let folder: string;
let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-erase-'));
  const store = { content_key_file: join(folder, 'content.key') };
  replicas = await Replicas.start(inject('postgres'), echoConfig({ store }), 2);
  [one, other] = replicas.all as [TestGateway, TestGateway];
});
afterEach(async () => {
  await replicas.dispose();
  await rm(folder, { recursive: true, force: true });
});

const paused = async (): Promise<string> =>
  (await one.post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] })).body.run_id;
const erase = (gateway: TestGateway, run_id: string) =>
  gateway.request('DELETE', `/v1/runs/${run_id}/content`, { principal: 'bob' });
const approve = (gateway: TestGateway, run_id: string) =>
  gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');

async function evidenceOf(run_ids: readonly string[]): Promise<number[]> {
  const ledger = await one.ledger();
  return run_ids.map((id) => ledger.filter(({ run_id }) => run_id === id).length);
}

it('concurrent erasures wait for each other, and neither restores what the other removed', async () => {
  const run_ids = await Promise.all(Array.from({ length: 16 }, paused));
  const answers = await Promise.all(run_ids.map((run_id, n) => erase(n % 2 === 0 ? one : other, run_id)));
  for (const { status, body } of answers) {
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'denied', backups_unreadable: true } });
  }
  const key = await readContentKey(join(folder, 'content.key'));
  expect(run_ids.filter((run_id) => key.keyFor(run_id) !== null)).toEqual([]);
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.new'))).toEqual([]);
  expect(await evidenceOf(run_ids)).toEqual(run_ids.map(() => 1));
});

it('a run that two erase and two approve at the same time ends once, and its content is gone if an erasure succeeded', async () => {
  for (let round = 0; round < 8; round += 1) {
    const run_id = await paused();
    const [erased, approved, again, late] = await Promise.all([
      erase(one, run_id),
      approve(other, run_id),
      erase(other, run_id),
      approve(one, run_id),
    ]);
    const done = [erased, again].filter(({ status }) => status === 200);
    for (const { status, body } of [erased, again])
      expect([200, 'SVC-RUN-002', 'SVC-RUN-004']).toContain(status === 200 ? 200 : body.code);
    for (const { status, body } of [approved, late])
      expect([200, 'SVC-RUN-002', 'SVC-RUN-005']).toContain(status === 200 ? 200 : body.code);
    await expect.poll(async () => (await one.get(`/v1/runs/${run_id}`)).body.status).toMatch(/^(denied|completed)$/);
    expect(await evidenceOf([run_id])).toEqual([1]);
    if (done.length === 0) continue;
    const { body } = await one.get(`/v1/runs/${run_id}/response`);
    expect(body).toMatchObject({ response: '', completion: null });
  }
});
