import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { WorkerConnection } from '../harness/worker-connection.ts';
import { rounds } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';

const WORKERS = 2;
const CLIENTS = 8;
const FEW = 4;

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const slow = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask'], egress: [] } };
  const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
  gateway = await TestGateway.start({ config: echoConfig({ server: { workers: WORKERS }, providers, routes: { slow } }) });
});
afterAll(async () => {
  await gateway?.dispose();
  await upstream?.close();
});

const started = (): number => gateway.output.split('"event":"worker_started"').length - 1;
const read = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body;
const receipts: { readonly run_id: string; readonly evidence: string }[] = [];

async function load(enough: () => boolean): Promise<void> {
  const client = async (): Promise<void> => {
    while (!enough()) {
      try {
        const { status, headers } = await gateway.chat('hello', { stream: receipts.length % 3 === 0 });
        expect(status).toBe(200);
        receipts.push({ run_id: headers.get('x-svc-run-id') ?? '', evidence: headers.get('x-svc-evidence') ?? '' });
      } catch (error) {
        // The connection broke; a failed expectation is something else.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Background runs of one worker that wait for the model. */
async function slowRuns(worker: WorkerConnection): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < FEW; n += 1) {
    const body = { route: 'slow', background: true, messages: [{ role: 'user', content: `of ${worker.pid}` }] };
    ids.push((await worker.request('POST', '/v1/runs', { body })).body.run_id);
  }
  return ids;
}

it.each(rounds(3, 100))('round %i of a worker that is killed under load', { timeout: 120_000 }, async () => {
  const [killed, other] = (await WorkerConnection.toEach(gateway, WORKERS)) as [WorkerConnection, WorkerConnection];
  const models = Array.from({ length: 2 * FEW }, () => held(answer('in time')));
  upstream.respond(...models.map(({ behaviour }) => behaviour));
  const asked = upstream.requests.length;
  const [lost, kept] = [await slowRuns(killed), await slowRuns(other)];
  await upstream.received(asked + 2 * FEW);
  const { body: waits } = await killed.request('POST', '/v1/runs', {
    body: { messages: [{ role: 'user', content: 'a wire transfer' }] },
  });
  const before = started();
  const begun = receipts.length;
  const loaded = load(() => started() > before && receipts.length > begun + 50);
  await until(() => receipts.length > begun + 10);
  process.kill(killed.pid, 'SIGKILL');
  await loaded;
  for (const { release } of models) release();

  await until(async () => (await Promise.all(kept.map(read))).every(({ status }) => status === 'completed'));
  // By the one that took its place, or the one that is left.
  await until(async () => (await Promise.all(lost.map(read))).every(({ status }) => status === 'error'));
  const evidence = await evidenceByRun(gateway);
  for (const run_id of lost) {
    expect(evidence.get(run_id)).toMatchObject({ status: 'error' });
    expect((await read(run_id)).events).toContainEqual(expect.objectContaining({ event_type: 'interrupted' }));
  }
  for (const run_id of kept) expect(evidence.get(run_id)).toMatchObject({ status: 'completed' });
  for (const { run_id, evidence: told } of receipts) {
    const record = evidence.get(run_id);
    expect(`${record?.seq} ${record?.hash} ${record?.status}`).toBe(`${told} completed`);
  }
  const { body: resumed } = await gateway.post(`/v1/runs/${waits.run_id}/resume`, { decision: 'approved' }, 'bob');
  expect(resumed.status).toBe('completed');
  for (const connection of [killed, other]) connection.close();
});

it('the folder that they leave is whole', { timeout: 120_000 }, async () => {
  expect(await gateway.stop('SIGKILL')).toBeNull();
  await gateway.allEnded();
  const folder = join(gateway.folder, 'runs-db');
  const verify = () => spawnSync(process.execPath, [MAIN, 'ledger', 'verify', folder, '--json'], { encoding: 'utf8' });
  await gateway.launch();
  // What holds the folder is named to whoever wants it.
  expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining(`process ${gateway.pid}`) });
  expect(await gateway.stop()).toBe(0);
  const { stdout } = verify();
  expect(JSON.parse(stdout)).toMatchObject({ fault: null });
  expect(JSON.parse(stdout).records).toBeGreaterThan(receipts.length);
});
