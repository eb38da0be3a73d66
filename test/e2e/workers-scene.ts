import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evidenceByRun } from '../fault/ledger-of.ts';
import { answer, held, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, installPackages, MAIN, TestGateway } from '../harness/gateway.ts';
import type { RunsDb } from '../harness/runs-dbs.ts';

/** Where the runs of the workers are stored. */
export interface Place {
  readonly open: () => Promise<RunsDb>;
  /** A runs-db like this one that cannot be opened, and the expected error. */
  readonly unusable: (url: string) => [string, string];
  /** Whether the primary holds the store. If so, the workers end with it. */
  readonly isHeldByPrimary: boolean;
}

export function testWorkers(place: Place): void {
  const WORKERS = 2;
  /** For what does not depend on the store: over the store of the primary only. */
  const itOnce = it.runIf(place.isHeldByPrimary);
  const CLIENTS = 8;

  let runs: RunsDb;
  let upstream: Upstream;
  /** Shared by all tests. A test that ends it must start it again. */
  let gateway: TestGateway;
  /** Lengths of its output at its last start, and at the start of this test. */
  let launched = 0;
  let began = 0;

  beforeAll(async () => {
    [runs, upstream] = await Promise.all([place.open(), startUpstream()]);
    const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
    const slow = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask'], egress: [] } };
    const config = echoConfig({ server: { workers: WORKERS }, providers, routes: { slow } });
    gateway = await TestGateway.start({ config, args: ['--runs-db', runs.url] });
  });
  beforeEach(() => {
    began = gateway.output.length;
  });
  afterAll(async () => {
    await gateway.dispose();
    await Promise.all([upstream.close(), runs.remove()]);
  });

  const file = (): string => join(gateway.folder, 'svc.yaml');

  async function launch(): Promise<void> {
    launched = gateway.output.length;
    await gateway.launch();
  }

  interface Line {
    readonly event: string;
    readonly pid: number;
    readonly worker?: number;
    readonly workers?: number[];
    readonly signal?: string;
    readonly code?: number | null;
    readonly request_id?: string;
    readonly config_digest?: string;
  }

  /** The lines of the log so far. */
  function lines(event: string, since = began): Line[] {
    const found = gateway.output
      .slice(since)
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`));
    return found.map((line): Line => JSON.parse(line));
  }

  /** Workers that are running. */
  function workerPids(): number[] {
    const dead = lines('worker_ended', launched).map(({ worker }) => worker);
    const started = lines('worker_started', launched).map(({ worker = 0 }) => worker);
    return [...(lines('listening', launched)[0]?.workers ?? []), ...started].filter((pid) => !dead.includes(pid));
  }

  const atLeast = (event: string, count: number): Promise<true> =>
    gateway.until(() => (lines(event).length >= count ? true : undefined));

  /** `/metrics`, and the worker that answered. Scrapes are not logged, so another request over the same connection identifies the worker. */
  async function scrape(agent = new Agent({ keepAlive: true, maxSockets: 1 })): Promise<{ body: string; pid: number }> {
    const { body } = await ask('/metrics', agent);
    const { id } = await ask('/v1/health', agent);
    // The log is written after the answer.
    const { pid } = await gateway.until(() => lines('request').find(({ request_id }) => request_id === id));
    return { body, pid };
  }

  async function ask(path: string, agent: Agent): Promise<{ body: string; id: unknown }> {
    // A refused request would close the connection.
    const headers = { authorization: `Bearer ${gateway.key('alice')}` };
    const [response] = await once(get(`${gateway.url}${path}`, { agent, headers }), 'response');
    return { body: await text(response), id: response.headers['x-request-id'] };
  }

  function numberOf(body: string, series: string): number {
    const line = body.split('\n').find((found) => found.startsWith(`${series} `));
    return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
  }

  const COMPLETED = 'svc_runs_total{route="default",status="completed"}';

  interface Receipt {
    readonly run_id: string;
    readonly evidence: string;
  }

  function receiptOf({ status, headers }: Answer): Receipt {
    expect(status).toBe(200);
    return { run_id: headers.get('x-svc-run-id') ?? '', evidence: headers.get('x-svc-evidence') ?? '' };
  }

  /** Clients that send one chat after another until `enough`. Each answer leaves a receipt. */
  async function load(receipts: Receipt[], enough: () => boolean): Promise<void> {
    const client = async (): Promise<void> => {
      while (!enough()) {
        try {
          receipts.push(receiptOf(await gateway.chat('hello')));
        } catch (error) {
          // The connection broke. A failed expectation is another error.
          if (!(error instanceof TypeError)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  async function expectInLedger(receipts: readonly Receipt[]): Promise<void> {
    const evidence = await evidenceByRun(gateway);
    for (const { run_id, evidence: told } of receipts) {
      const record = evidence.get(run_id);
      expect(`${record?.seq} ${record?.hash}`).toBe(told);
      expect(record?.status).toBe('completed');
    }
  }

  describe('two workers', () => {
    it('serve one port and one ledger, and each reports the metrics of both', async () => {
      const receipts: Receipt[] = [];
      await load(receipts, () => receipts.length >= 100);
      await atLeast('request', receipts.length);
      expect(new Set(lines('request').map(({ pid }) => pid))).toEqual(new Set(workerPids()));
      expect(lines('listening', launched)).toMatchObject([{ pid: gateway.pid }]);
      for (const line of gateway.output.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ event: expect.any(String) });
      // One record per route for the start of the server, whichever worker wrote it.
      const inventory = (await gateway.get('/v1/audit/inventory')).body.records;
      expect(inventory.map(({ model_id }: { model_id: string }) => model_id).sort()).toEqual(['default', 'slow']);
      for (let asked = 0; asked < 2 * WORKERS; asked++) {
        expect(
          (await gateway.request('GET', '/v1/audit/report', { headers: { connection: 'close' } })).body.inventory,
        ).toHaveLength(2);
      }
      await expectInLedger(receipts);
      expect((await gateway.get('/v1/health')).body).toMatchObject({ status: 'ok' });
      for (const path of ['/livez', '/readyz']) expect((await gateway.get(path, null)).status).toBe(204);

      const records = (await gateway.ledger()).length;
      const answered = new Set<number>();
      while (answered.size < WORKERS) {
        const { body, pid } = await scrape();
        answered.add(pid);
        expect(numberOf(body, COMPLETED)).toBe(receipts.length);
        expect(numberOf(body, 'svc_run_duration_seconds_count{route="default"}')).toBe(receipts.length);
        expect(numberOf(body, 'svc_ledger_records')).toBe(records);
        expect(numberOf(body, 'svc_stored_runs{status="completed"}')).toBe(receipts.length);
        expect(numberOf(body, 'svc_workers{state="answered"}')).toBe(WORKERS);
        expect(body).not.toContain('did not answer');
      }
    });

    itOnce('report the last metrics of a stuck worker, and name it', async () => {
      await gateway.chat('hello');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const { body: whole, pid } = await scrape(agent);
      const [stuck = 0] = workerPids().filter((other) => other !== pid);
      process.kill(stuck, 'SIGSTOP');
      try {
        const { body } = await scrape(agent);
        expect(body.split('\n')[0]).toMatch(new RegExp(`^# worker ${stuck} did not answer`));
        expect(numberOf(body, COMPLETED)).toBe(numberOf(whole, COMPLETED));
        expect(numberOf(body, 'svc_workers{state="missing"}')).toBe(1);
      } finally {
        process.kill(stuck, 'SIGCONT');
      }
      const { body } = await scrape(agent);
      expect(body).not.toContain('did not answer');
      expect(numberOf(body, 'svc_workers{state="missing"}')).toBe(0);
      agent.destroy();
    });

    itOnce('keep the counts of an ended worker in the sum', async () => {
      const before = numberOf((await scrape()).body, COMPLETED);
      const receipts: Receipt[] = [];
      await load(receipts, () => receipts.length >= 20);
      const { body, pid } = await scrape();
      const counted = before + receipts.length;
      expect(numberOf(body, COMPLETED)).toBe(counted);
      process.kill(pid, 'SIGKILL');
      await atLeast('worker_started', 1);
      const sum = (await scrape()).body;
      expect(numberOf(sum, COMPLETED)).toBe(counted);
      expect(numberOf(sum, 'svc_run_duration_seconds_bucket{le="+Inf",route="default"}')).toBe(counted);
      expect(numberOf(sum, 'svc_workers{state="answered"}')).toBe(WORKERS);
    });

    const underLoad = 'replace one that is killed under load, with the initial configuration; no answered run is lost';
    it(underLoad, { timeout: 120_000 }, async () => {
      const { config_digest } = (await gateway.get('/v1/health')).body;
      const content = await readFile(file(), 'utf8');
      await writeFile(file(), 'something else');
      const receipts: Receipt[] = [];
      const pids = workerPids();
      const [killed = 0] = pids;
      let started: Line | undefined;
      let counted = 0;
      const loaded = load(receipts, () => started !== undefined && receipts.length >= counted + 50);
      await atLeast('request', 50);
      counted = numberOf((await scrape()).body, COMPLETED);
      process.kill(killed, 'SIGKILL');
      started = await gateway.until(() => lines('worker_started')[0]);
      await loaded;

      expect(lines('worker_ended')).toMatchObject([{ worker: killed, code: null, signal: 'SIGKILL' }]);
      expect(pids).not.toContain(started.worker);
      const served = () => lines('request').find(({ pid }) => pid === started?.worker);
      while (served() === undefined) await scrape();
      await expectInLedger(receipts);
      expect(numberOf((await scrape()).body, COMPLETED)).toBeGreaterThanOrEqual(counted);
      expect((await gateway.get('/v1/health')).body).toMatchObject({ status: 'ok', config_digest });
      await writeFile(file(), content);
    });
  });

  itOnce('all read the file again on SIGHUP, and one that starts later reads the same file', async () => {
    const content = JSON.parse(await readFile(file(), 'utf8'));
    const fresh = { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } };
    await writeFile(file(), JSON.stringify({ ...content, routes: { ...content.routes, fresh } }));
    process.kill(gateway.pid, 'SIGHUP');
    await atLeast('configuration_applied', WORKERS);
    const [first, second] = lines('configuration_applied');
    expect(first?.config_digest).toBe(second?.config_digest);
    expect(first?.pid).not.toBe(second?.pid);

    process.kill(first?.pid ?? 0, 'SIGKILL');
    await atLeast('worker_started', 1);
    for (let n = 0; n < 4 * WORKERS; n += 1) {
      expect((await gateway.get('/v1/health')).body.config_digest).toBe(first?.config_digest);
      expect((await gateway.chat('hello', { model: 'fresh' })).status).toBe(200);
    }
    expect(lines('configuration_applied')).toHaveLength(WORKERS);
  });

  describe('the end of two workers', () => {
    /** Chats that wait for the model. Returns a list, because a bare promise would be awaited. */
    async function underWay(count: number): Promise<Promise<Answer>[]> {
      const asked = upstream.requests.length;
      const slow = Array.from({ length: count }, () => gateway.chat('hello', { model: 'slow' }));
      // Not every test checks whether they are answered.
      for (const chat of slow) chat.catch(() => undefined);
      await upstream.received(asked + count);
      return slow;
    }

    // Each signal over one of the stores.
    const signal = place.isHeldByPrimary ? 'SIGINT' : 'SIGTERM';
    it(`${signal} lets runs finish in time, with evidence`, async () => {
      const models = [held(answer('in time')), held(answer('in time'))];
      upstream.respond(...models.map(({ behaviour }) => behaviour));
      const slow = await underWay(WORKERS);
      const pids = [gateway.pid, ...workerPids()];
      process.kill(gateway.pid, signal);
      // The primary and both workers log it.
      await atLeast('stopping', 1 + WORKERS);
      for (const model of models) model.release();
      const receipts = (await Promise.all(slow)).map(receiptOf);
      expect(await gateway.stop()).toBe(0);
      await gateway.allEnded();
      expect(new Set(lines('stopped').map(({ pid }) => pid))).toEqual(new Set(pids));
      await launch();
      await expectInLedger(receipts);
    });

    it('follows a kill of their primary, and the port is free at once', async () => {
      const model = held(answer('in time'));
      upstream.respond(model.behaviour);
      const [slow] = await underWay(1);
      const pids = workerPids();
      await gateway.stop('SIGKILL');
      if (place.isHeldByPrimary) {
        // Nothing can be recorded, so nothing is answered.
        await expect(slow).rejects.toThrow(TypeError);
        await gateway.allEnded();
      } else {
        await atLeast('stopping', WORKERS);
        await expect(fetch(`${gateway.url}/metrics`)).rejects.toThrow(TypeError);
        model.release();
        await expect(slow).resolves.toMatchObject({ status: 200 });
        await gateway.allEnded();
        expect(new Set(lines('stopped').map(({ pid }) => pid))).toEqual(new Set(pids));
      }
      await launch();
      await expectInLedger(slow === undefined || place.isHeldByPrimary ? [] : [receiptOf(await slow)]);
      expect((await gateway.get('/v1/audit?status=running')).body.runs).toEqual([]);
    });

    itOnce('has code 1 if one died; the others shut down normally', async () => {
      upstream.respond(stalled(), stalled());
      const slow = Promise.allSettled(await underWay(WORKERS));
      const [killed = 0, other = 0] = workerPids();
      const ended = gateway.stop();
      await atLeast('stopping', 1 + WORKERS);
      process.kill(killed, 'SIGKILL');
      expect(await ended).toBe(1);
      await slow;
      expect(lines('worker_ended')).toMatchObject([{ worker: killed, signal: 'SIGKILL' }]);
      expect(lines('stopped').map(({ pid }) => pid)).toEqual([other, gateway.pid]);
    });

    it('drains in all of them while the primary lives; none opens an inspector', async () => {
      const content = JSON.parse(await readFile(file(), 'utf8'));
      await writeFile(file(), JSON.stringify({ ...content, server: { ...content.server, drain_delay: '10m' } }));
      await launch();
      const pids = workerPids();
      for (const pid of [gateway.pid, ...pids]) process.kill(pid, 'SIGUSR1');
      process.kill(gateway.pid, 'SIGTERM');
      await atLeast('stopping', 1 + WORKERS);
      for (let n = 0; n < CLIENTS; n += 1) {
        expect(await gateway.get('/v1/health')).toMatchObject({ status: 503, body: { status: 'stopping' } });
        expect((await gateway.chat('hello')).status).toBe(200);
      }
      await gateway.stop('SIGKILL');
      await gateway.allEnded();
      if (!place.isHeldByPrimary) expect(lines('stopped').map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
      expect(gateway.output).not.toMatch(/debugger|inspector/i);
    });
  });

  describe('a start', () => {
    /** `svc serve` with the gateway's configuration. */
    function serve(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
      return spawn(process.execPath, [MAIN, 'serve', '--config', file(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    }

    async function refusal(...args: string[]): Promise<{ code: number | null; out: string; errors: string[] }> {
      const child = serve(...args);
      const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      return { code, out, errors: errors.trim().split('\n') };
    }

    it('that fails gives the reason once, for the runs-db and for the port', async () => {
      const [nowhere, why] = place.unusable(runs.url);
      const absent = await refusal('--port', '0', '--runs-db', nowhere);
      expect(absent).toMatchObject({ code: 1, errors: [expect.stringContaining(why)] });
      expect(absent.out).not.toContain('"listening"');
      const none = await refusal('--port', '0');
      expect(none).toMatchObject({ code: 1, errors: [expect.stringContaining('--runs-db')] });
      const taken = await refusal('--port', new URL(upstream.url).port, '--runs-db', runs.url);
      expect(taken).toMatchObject({ code: 1, errors: [expect.stringContaining('EADDRINUSE')] });
      expect(taken.out).not.toContain('"listening"');
    });

    itOnce('whose primary is killed leaves no worker behind', async () => {
      await installPackages(gateway.folder, ['waits-for-disconnect']);
      const packs = { waits: { type: 'waits-for-disconnect' } };
      const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['waits'], egress: [] } };
      await gateway.configure(echoConfig({ server: { workers: WORKERS }, packs, routes: { default: route } }));
      const child = serve('--port', '0', '--runs-db', runs.url);
      let out = '';
      // Any process that is left keeps the output open.
      for await (const data of child.stdout) {
        out += data;
        if (out.includes('"guard_waits"')) child.kill('SIGKILL');
      }
      expect(child.signalCode).toBe('SIGKILL');
      expect(out).not.toContain('"listening"');
    });
  });
}
