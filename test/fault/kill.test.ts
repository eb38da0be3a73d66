import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { verifyLedger } from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { pick, rounds, SEED } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';

const CLIENTS = 8;
/** Background runs that are worked on at once, and those that wait for them. Of two workers, neither need have as many as it works on. */
const SERVERS = [
  { what: 'one process', server: {}, at_once: 32, waiting: 4, short: 10 },
  { what: 'two workers and their primary', server: { workers: 2 }, at_once: 20, waiting: 0, short: 4 },
];
const EXPORTED = './evidence.jsonl';

/** A worker that outlives its primary by a moment refuses what comes. */
function isAnswer(status: number, isKilled: boolean): boolean {
  if (isKilled && status === 503) return false;
  expect(status).toBe(200);
  return true;
}

/** What the ledger must say of a run, by its answer. */
interface Receipt {
  readonly run_id: string;
  readonly evidence: string;
}

describe.each(SERVERS)('$what', ({ server, at_once, waiting, short }) => {
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

  const receipts: Receipt[] = [];

  /** Starts background runs until the model has `at_once` of them, and a few more. Resolves to those that run and those that wait. */
  async function fillBackground(): Promise<{ running: string[]; pending: string[] }> {
    const asked = upstream.requests.length;
    upstream.respond(...Array.from({ length: at_once }, () => stalled()));
    const ids: string[] = [];
    for (let n = 0; n < at_once + waiting; n += 1) {
      const body = { route: 'slow', background: true, messages: [{ role: 'user', content: `background ${n}` }] };
      ids.push((await gateway.post('/v1/runs', body)).body.run_id);
    }
    await upstream.received(asked + at_once);
    return { running: ids.slice(0, at_once), pending: ids.slice(at_once) };
  }

  async function pausedRun(): Promise<string> {
    const { body } = await gateway.chat('a wire transfer');
    expect(body.choices[0].finish_reason).toBe('content_filter');
    return body.svc_run_id;
  }

  /** Clients send one chat after another until the process is killed, `answers` after the first. */
  async function loadUntilKilled(answers: number): Promise<void> {
    let answered = 0;
    let killed: Promise<unknown> | undefined;
    const client = async (): Promise<void> => {
      try {
        for (;;) {
          const { status, headers } = await gateway.chat('hello', { stream: answered % 3 === 0 });
          if (!isAnswer(status, killed !== undefined)) return;
          receipts.push({ run_id: headers.get('x-svc-run-id') ?? '', evidence: headers.get('x-svc-evidence') ?? '' });
          answered += 1;
          if (answered >= answers) killed ??= gateway.stop('SIGKILL');
        }
      } catch (error) {
        // The connection broke; a failed expectation is something else.
        if (!(error instanceof TypeError)) throw error;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await killed;
    // Also the workers of a primary that was killed.
    await gateway.allEnded();
  }

  const read = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body;

  async function ended(run_id: string): Promise<string> {
    for (;;) {
      const { status } = await read(run_id);
      if (status !== 'pending' && status !== 'running') return status;
    }
  }

  /** The lines of the export, once it has as many as the ledger. */
  async function exported(length: number): Promise<string[]> {
    for (;;) {
      const lines = readFileSync(join(gateway.folder, EXPORTED), 'utf8').split('\n');
      if (lines.length > length) return lines.slice(0, -1);
      // Each look waits for the server.
      await gateway.get('/v1/health');
    }
  }

  const has = (events: readonly { event_type: string }[], event_type: string): boolean =>
    events.some((event) => event.event_type === event_type);

  it.each(rounds(short, 1000))(`round %i of kill -9 under load (SVC_FAULT_SEED=${SEED})`, { timeout: 120_000 }, async (round) => {
    const waits = await pausedRun();
    const { running, pending } = await fillBackground();
    await loadUntilKilled(1 + pick(`kill ${round}`, 60));
    await gateway.launch();

    // Recovery is done before the server listens: what ran is an error with evidence, what waited is on its way.
    const after = await evidenceByRun(gateway);
    for (const run_id of running) {
      const { status, events } = await read(run_id);
      expect(status).toBe('error');
      expect(has(events, 'interrupted')).toBe(true);
      expect(after.get(run_id)).toMatchObject({ status: 'error', events });
    }
    expect(await Promise.all(pending.map(ended))).toEqual(pending.map(() => 'completed'));
    expect((await gateway.get('/v1/audit?status=running')).body.runs).toEqual([]);

    const { body: resumed } = await gateway.post(`/v1/runs/${waits}/resume`, { decision: 'approved' }, 'bob');
    expect(resumed).toMatchObject({ status: 'completed', response: 'echo: a wire transfer' });

    // Every answer that a client got, in this round or an earlier one, has the evidence that it was told.
    const evidence = await evidenceByRun(gateway);
    for (const receipt of receipts) {
      const record = evidence.get(receipt.run_id);
      expect(`${record?.seq} ${record?.hash}`).toBe(receipt.evidence);
      expect(record?.status).toBe('completed');
    }
    for (const run_id of [...pending, waits]) expect(evidence.get(run_id)).toMatchObject({ status: 'completed' });

    // And every run is accounted for: rows and ledger agree.
    const { body: report } = await gateway.get('/v1/audit/report');
    const { completed, blocked, denied, error, pending: left, running: lost, paused } = report.run_stats as JsonObject;
    expect(Number(completed) + Number(blocked) + Number(denied) + Number(error)).toBe(evidence.size);
    expect([left, lost, paused]).toEqual([0, 0, 0]);

    // The exporter went on where it was: no gap, nothing twice.
    const { body: all } = await gateway.get('/v1/audit/report');
    const lines = await exported(all.chain_length);
    expect(await verifyLedger(lines)).toMatchObject({ records: all.chain_length, fault: null });
  });
});
