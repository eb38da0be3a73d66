import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { verifyLedger } from '@svc/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, held, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { WorkerConnection } from '../harness/worker-connection.ts';
import { pick, rounds, SEED } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';

const CLIENTS = 8;
const EXPORTED = './evidence.jsonl';
export const WORKERS = 2;
const OF_EACH_WORKER = 4;
/** Every run belongs to one of these sessions, which go on over all kills. */
const SESSIONS = 3;
const inSession = (n: number): Record<string, string> => ({ 'x-svc-session': `session-${n % SESSIONS}` });

export interface Kill {
  readonly server: JsonObject;
  readonly scene: (gateway: TestGateway, upstream: Upstream) => Promise<Scene>;
  /** Number of rounds in the short and the long form. */
  readonly short: number;
  readonly long: number;
}

/** Background runs and a paused run, and how the gateway is killed and recovers. */
interface Scene {
  /** Runs at the model when the process is killed. */
  readonly lost: readonly string[];
  /** Runs that complete anyway. */
  readonly kept: readonly string[];
  readonly paused: string;
  /** Whether a worker may outlive the kill for a moment and refuse requests. */
  readonly refuses: boolean;
  kill(): Promise<unknown>;
  /** Whether clients have sent enough since the kill. */
  isOver(): boolean;
  /** Resolves when the lost runs are settled. */
  recovered(): Promise<void>;
}

type Post = (
  path: string,
  body: object,
  headers?: Record<string, string>,
) => Promise<{ body: JsonObject & { run_id: string; status: string } }>;

async function startInBackground(post: Post, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const body = { route: 'slow', background: true, messages: [{ role: 'user', content: `background ${n}` }] };
    ids.push((await post('/v1/runs', body, inSession(n))).body.run_id);
  }
  return ids;
}

async function pause(post: Post): Promise<string> {
  const { body } = await post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] }, inSession(0));
  expect(body.status).toBe('paused');
  return body.run_id;
}

/** Kills the whole server. It processes `at_once` background runs. With two workers, one may have fewer than its limit. */
export function killServer(at_once: number, waiting: number) {
  return async (gateway: TestGateway, upstream: Upstream): Promise<Scene> => {
    const post: Post = (path, body, headers = {}) => gateway.request('POST', path, { body, headers });
    const paused = await pause(post);
    const asked = upstream.requests.length;
    upstream.respond(...Array.from({ length: at_once }, () => stalled()));
    const ids = await startInBackground(post, at_once + waiting);
    await upstream.received(asked + at_once);
    return {
      lost: ids.slice(0, at_once),
      kept: ids.slice(at_once),
      paused,
      refuses: true,
      kill: () => gateway.stop('SIGKILL'),
      isOver: () => true,
      // Recovery is complete before the server listens.
      recovered: async () => {
        await gateway.allEnded();
        await gateway.launch();
      },
    };
  };
}

/** Kills one of two workers. Another replaces it, and the gateway keeps serving. */
export async function killWorker(gateway: TestGateway, upstream: Upstream): Promise<Scene> {
  const [killed, other] = (await WorkerConnection.toEach(gateway, WORKERS)) as [WorkerConnection, WorkerConnection];
  const postTo =
    (worker: WorkerConnection): Post =>
    (path, body, headers = {}) =>
      worker.request('POST', path, { body, headers });
  const models = Array.from({ length: 2 * OF_EACH_WORKER }, () => held(answer('in time')));
  upstream.respond(...models.map(({ behaviour }) => behaviour));
  const asked = upstream.requests.length;
  const [lost = [], kept = []] = [
    await startInBackground(postTo(killed), OF_EACH_WORKER),
    await startInBackground(postTo(other), OF_EACH_WORKER),
  ];
  await upstream.received(asked + models.length);
  const paused = await pause(postTo(killed));
  const started = (): number => gateway.output.split('"event":"worker_started"').length - 1;
  const before = started();
  return {
    lost,
    kept,
    paused,
    refuses: false,
    kill: async () => process.kill(killed.pid, 'SIGKILL'),
    isOver: () => started() > before,
    recovered: async () => {
      for (const { release } of models) release();
      for (const connection of [killed, other]) connection.close();
      await until(async () => (await gateway.get('/v1/audit?status=running')).body.runs.length === 0);
    },
  };
}

const header = ({ headers }: Answer, name: string): string => headers.get(name) ?? '';

/** Rounds of kill -9 under load. Each answer keeps its evidence, and each run ends once. */
export function testKill({ server, scene, short, long }: Kill): void {
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream();
    const slow = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask'], egress: [] } };
    const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
    const exporters = [{ type: 'jsonl', path: EXPORTED }];
    gateway = await TestGateway.start({ config: echoConfig({ server, providers, routes: { slow }, exporters }) });
  });
  afterAll(async () => {
    await gateway.dispose();
    await upstream.close();
  });

  /** Expected ledger data of each run that a client got an answer for. */
  const receipts: { readonly run_id: string; readonly evidence: string }[] = [];

  /** Null if the connection broke. */
  const ask = (client: number) => {
    const messages = [{ role: 'user', content: 'hello' }];
    const body = { model: 'default', messages, stream: receipts.length % 3 === 0 };
    return gateway.request('POST', '/v1/chat/completions', { body, headers: inSession(client) }).catch((error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    });
  };

  /** Clients send one chat after another. The kill comes this many answers after the first one. */
  async function loadAndKill({ kill, isOver, refuses }: Scene, answers: number): Promise<void> {
    const begun = receipts.length;
    let killed: Promise<unknown> | undefined;
    const client = async (n: number): Promise<void> => {
      while (killed === undefined || !isOver()) {
        const answer = await ask(n);
        if (answer === null || (refuses && killed !== undefined && answer.status === 503)) continue;
        expect(answer.status).toBe(200);
        receipts.push({ run_id: header(answer, 'x-svc-run-id'), evidence: header(answer, 'x-svc-evidence') });
        if (receipts.length >= begun + answers) killed ??= kill();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    await killed;
  }

  const read = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body;

  /** The lines of the export, once it is as long as the ledger. */
  async function exported(length: number): Promise<string[]> {
    const lines = (): string[] => readFileSync(join(gateway.folder, EXPORTED), 'utf8').split('\n');
    await until(() => lines().length > length);
    return lines().slice(0, -1);
  }

  it.each(rounds(short, long))(`round %i of kill -9 under load (SVC_FAULT_SEED=${SEED})`, { timeout: 120_000 }, async (round) => {
    const killing = await scene(gateway, upstream);
    const { lost, kept, paused } = killing;
    await loadAndKill(killing, 1 + pick(`kill ${round}`, 60));
    await killing.recovered();

    const after = await evidenceByRun(gateway);
    for (const run_id of lost) {
      const { status, events } = await read(run_id);
      expect(status).toBe('error');
      expect(events).toContainEqual(expect.objectContaining({ event_type: 'interrupted' }));
      expect(after.get(run_id)).toMatchObject({ status: 'error', events });
    }
    await until(async () => (await Promise.all(kept.map(read))).every(({ status }) => status === 'completed'));
    expect((await gateway.get('/v1/audit?status=running')).body.runs).toEqual([]);

    const { body: resumed } = await gateway.post(`/v1/runs/${paused}/resume`, { decision: 'approved' }, 'bob');
    expect(resumed).toMatchObject({ status: 'completed', response: 'echo: a wire transfer' });

    // Every answer that a client got, in any round so far, has its evidence.
    const evidence = await evidenceByRun(gateway);
    for (const receipt of receipts) {
      const record = evidence.get(receipt.run_id);
      expect(`${record?.seq} ${record?.hash} ${record?.status}`).toBe(`${receipt.evidence} completed`);
    }
    for (const run_id of [...kept, paused]) expect(evidence.get(run_id)).toMatchObject({ status: 'completed' });

    // Each session has every run, numbered in the order of the ledger. That they are linked is part of the verification.
    const sessions = Map.groupBy(evidence.values(), ({ session }) => session?.id);
    expect([...sessions.keys()].sort()).toEqual(Array.from({ length: SESSIONS }, (_, n) => `session-${n}`));
    for (const records of sessions.values())
      expect(records.map(({ session }) => session?.number)).toEqual(records.map((_, index) => index + 1));
    for (const run_id of [...lost, ...kept, paused]) expect(evidence.get(run_id)?.session?.number).toBeGreaterThan(0);

    // Rows and ledger agree on every run.
    const { body: report } = await gateway.get('/v1/audit/report');
    const { completed, blocked, denied, error, ...unsettled } = report.run_stats as JsonObject;
    expect(Number(completed) + Number(blocked) + Number(denied) + Number(error)).toBe(evidence.size);
    expect(unsettled).toEqual({ pending: 0, running: 0, paused: 0 });
  });

  it('leaves an intact folder and export', { timeout: 120_000 }, async () => {
    expect(await gateway.stop('SIGKILL')).toBeNull();
    await gateway.allEnded();
    const folder = join(gateway.folder, 'runs-db');
    const verify = () => spawnSync(process.execPath, [MAIN, 'ledger', 'verify', folder, '--json'], { encoding: 'utf8' });
    await gateway.launch();
    // The message names the process that holds the folder.
    expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining(`process ${gateway.pid}`) });
    // The export has no gaps or duplicates.
    const { chain_length } = (await gateway.get('/v1/audit/report')).body;
    expect(await verifyLedger(await exported(chain_length))).toMatchObject({ records: chain_length, fault: null });
    expect(await gateway.stop()).toBe(0);
    const report = JSON.parse(verify().stdout);
    expect(report).toMatchObject({ fault: null });
    expect(report.records).toBeGreaterThan(receipts.length);
  });
}
