import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { answer, type Behaviour } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type GatewayConfig, type TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { LONG } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';

/** Milliseconds that the model takes, so that every replica always has runs in progress. In the short form more, so that clients leave time to other tests. */
const LATENCY_MS = LONG ? 15 : 40;
/** Time that a client waits after a 503. */
const RETRY_AFTER_MS = 25;
/** Maximum number of recent answers kept for pick-up. */
const MAX_ANSWERS = 100;
/** Characters of a replica's log in the error if it is gone. */
const LAST_LINES = 2_000;
const DONE = 'data: [DONE]\n\n';

export const slowly: Behaviour = async (request, response) => {
  await Promise.race([delay(LATENCY_MS), request.disconnected]);
  // A gateway that was stopped for seconds would find its kept connections closed, and fail a run because of it.
  response.shouldKeepAlive = false;
  if (!response.destroyed) await answer()(request, response);
};

/** `default` has guards, whole or streamed. `patient` lets callers wait for a decision. */
export function replicaConfig(upstream: string): GatewayConfig {
  const route = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
  return echoConfig({
    approvals: { max_paused_per_principal: 10_000 },
    providers: { upstream: { type: 'openai', base_url: upstream, timeout_ms: 300_000, connections: 500 } },
    routes: { default: route, patient: { ...route, approval_wait_ms: 120_000 } },
  });
}

/** Expected ledger data of a run, from an answer that a client got. */
interface Receipt {
  readonly run_id: string;
  readonly evidence: string;
}

/** The fields of a frame that concern the run. */
interface LastFrame {
  readonly svc_run_id?: string;
  readonly svc_evidence?: string;
}

export type Kind = 'chat' | 'stream' | 'background' | 'pause' | 'decide';
const ALL: readonly Kind[] = ['chat', 'stream', 'background', 'chat', 'pause', 'chat', 'stream', 'decide'];

/** Clients of several replicas that send one request after another, and record the answers. */
export class ReplicaLoad {
  readonly #turns: readonly Kind[];
  readonly #receipts: Receipt[] = [];
  /** Background runs that were accepted. */
  readonly #accepted: string[] = [];
  /** Paused runs without a decision. */
  readonly #paused: string[] = [];
  /** Makes each text unique, because a decision also applies to repetitions of a request. */
  #asked = 0;
  /** Runs whose decision was sent but not answered. */
  readonly #undecided: string[] = [];
  readonly #clients = new Set<Promise<void>>();
  /** Number of clients that each replica still has. */
  readonly #driving = new Map<TestGateway, number>();
  readonly #answers = new Map<TestGateway, number>();
  readonly #waiting = new Set<() => void>();
  #stopped = false;
  /** Number of answers with SVC-STORE-001. */
  refused = 0;

  /** @param turns request kinds that each client sends in turn */
  constructor(turns: readonly Kind[] = ALL) {
    this.#turns = turns;
  }

  /** Starts clients for a replica. Each continues until the load stops or the replica is gone. */
  drive(gateway: TestGateway, clients = 4): void {
    const more = (change: number): void => void this.#driving.set(gateway, (this.#driving.get(gateway) ?? 0) + change);
    more(clients);
    for (let client = 0; client < clients; client += 1) {
      const driven = this.#client(gateway, client).finally(() => {
        this.#clients.delete(driven);
        more(-1);
        this.#wake();
      });
      this.#clients.add(driven);
    }
  }

  /** Resolves after this many more successful requests to each replica. Rejects if a replica is gone and has no clients. */
  async answered(count: number, ...gateways: readonly TestGateway[]): Promise<void> {
    const goals = gateways.map((gateway) => ({ gateway, goal: (this.#answers.get(gateway) ?? 0) + count }));
    while (!goals.every(({ gateway, goal }) => (this.#answers.get(gateway) ?? 0) >= goal)) {
      const gone = gateways.find((gateway) => !this.#driving.get(gateway));
      if (gone !== undefined) throw new Error(`a replica is gone; its last lines: ${gone.output.slice(-LAST_LINES)}`);
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.#failed()]);
    }
  }

  /** Resolves after this many more refused requests. */
  async refusals(count: number): Promise<void> {
    const goal = this.refused + count;
    while (this.refused < goal) await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.#failed()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
    this.#stopped = false;
  }

  /**
   * Decides on paused runs, waits until all runs are settled, and verifies that the ledger is a complete chain with everything that clients were
   * sent and one evidence record per run.
   * @param gateway any gateway that can reach the database
   */
  async settle(gateway: TestGateway): Promise<void> {
    for (const run_id of this.#paused.splice(0)) await this.#decide(gateway, run_id);
    await allSettled(gateway);
    const evidence = await evidenceByRun(gateway);
    for (const { run_id, evidence: told } of this.#receipts) {
      const record = evidence.get(run_id);
      expect(`${record?.seq} ${record?.hash}`, run_id).toBe(told);
    }
    for (const run_id of this.#accepted) {
      const { status, events = [] } = evidence.get(run_id) ?? {};
      expect(status === 'completed' || (status === 'error' && interrupted(events)), `${run_id} ${status}`).toBe(true);
    }
    const answered = this.#accepted.filter((run_id) => evidence.get(run_id)?.status === 'completed');
    await Promise.all(answered.slice(-MAX_ANSWERS).map((run_id) => expectAnswer(gateway, run_id)));
    const still = new Set(await pausedRuns(gateway));
    for (const run_id of this.#undecided) expect(evidence.has(run_id), run_id).toBe(!still.has(run_id));
    const { run_stats, chain_length } = (await gateway.get('/v1/audit/report')).body;
    const { completed, blocked, denied, error, pending, running } = run_stats;
    expect(completed + blocked + denied + error).toBe(evidence.size);
    expect([pending, running]).toEqual([0, 0]);
    expect(chain_length).toBe(evidence.size + (await gateway.get('/v1/audit/inventory?limit=10000')).body.records.length);
  }

  async #failed(): Promise<never> {
    await Promise.all(this.#clients);
    throw new Error('every client has ended');
  }

  async #client(gateway: TestGateway, offset: number): Promise<void> {
    for (let turn = offset; !this.#stopped; turn += 1) {
      try {
        if (await this.#ask(gateway, this.#turns[turn % this.#turns.length] ?? 'chat')) this.#count(gateway);
        else await delay(RETRY_AFTER_MS);
      } catch (error) {
        // The connection broke. A failed expectation is another error.
        if (error instanceof TypeError) return;
        throw error;
      }
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #count(gateway: TestGateway): void {
    this.#answers.set(gateway, (this.#answers.get(gateway) ?? 0) + 1);
  }

  /** @returns whether it succeeded */
  async #ask(gateway: TestGateway, kind: Kind): Promise<boolean> {
    switch (kind) {
      case 'chat': {
        const answer = await gateway.chat('hello');
        return this.#well(answer) && this.#keep(answer.headers.get('x-svc-run-id'), answer.headers.get('x-svc-evidence'));
      }
      case 'stream':
        return this.#stream(gateway);
      case 'background': {
        const body = { background: true, messages: [{ role: 'user', content: 'hello' }] };
        const answer = await gateway.post('/v1/runs', body);
        if (!this.#well(answer)) return false;
        this.#accepted.push(answer.body.run_id);
        return true;
      }
      case 'pause': {
        const answer = await gateway.post('/v1/runs', {
          messages: [{ role: 'user', content: `a wire transfer, number ${++this.#asked}` }],
        });
        if (!this.#well(answer)) return false;
        expect(answer.body.status).toBe('paused');
        this.#paused.push(answer.body.run_id);
        return true;
      }
      case 'decide': {
        // The oldest one most likely paused on another replica.
        const run_id = this.#paused.shift();
        return run_id === undefined || this.#decide(gateway, run_id);
      }
    }
  }

  async #stream(gateway: TestGateway): Promise<boolean> {
    const answer = await gateway.chat('hello', { stream: true });
    if (!this.#well(answer)) return false;
    const whole = answer.text.endsWith(DONE);
    // A stream without evidence must not end with `[DONE]`.
    if (!whole) expect(answer.text).toContain('SVC-STORE-001');
    if (!whole) return this.#refuse();
    const last: LastFrame = JSON.parse(answer.text.slice(0, -DONE.length).split('data: ').at(-1) ?? '');
    return this.#keep(last.svc_run_id, last.svc_evidence);
  }

  async #decide(gateway: TestGateway, run_id: string): Promise<boolean> {
    this.#undecided.push(run_id);
    const answer = await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
    if (!this.#well(answer)) return false;
    expect(answer.body.status, run_id).toBe('completed');
    this.#undecided.splice(this.#undecided.indexOf(run_id), 1);
    return this.#keep(run_id, answer.headers.get('x-svc-evidence'));
  }

  #keep(run_id: string | null | undefined, evidence: string | null | undefined): boolean {
    expect(run_id).toBeTypeOf('string');
    expect(evidence).toMatch(/^\d+ sha256:/);
    this.#receipts.push({ run_id: run_id ?? '', evidence: evidence ?? '' });
    return true;
  }

  #well({ status, body, text }: Answer): boolean {
    if (status === 200) return true;
    expect(`${status} ${body?.code}`, text).toBe('503 SVC-STORE-001');
    return this.#refuse();
  }

  #refuse(): false {
    this.refused += 1;
    return false;
  }
}

/** Waits until no run is in progress. Waits for the server's answer, not for a clock. */
async function allSettled(gateway: TestGateway): Promise<void> {
  await until(async () => {
    const { pending, running } = (await gateway.get('/v1/audit/report')).body.run_stats;
    return pending + running === 0;
  });
}

async function pausedRuns(gateway: TestGateway): Promise<string[]> {
  const { body } = await gateway.get('/v1/audit?status=paused&limit=10000');
  return body.runs.map(({ run_id }: { run_id: string }) => run_id);
}

async function expectAnswer(gateway: TestGateway, run_id: string): Promise<void> {
  const { body } = await gateway.get(`/v1/runs/${run_id}/response`);
  expect(body, run_id).toMatchObject({ status: 'completed', response: 'upstream: hello' });
}

function interrupted(events: readonly { event_type: string }[]): boolean {
  return events.some(({ event_type }) => event_type === 'interrupted');
}
