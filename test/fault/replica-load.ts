import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { answer, type Behaviour } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type GatewayConfig, type TestGateway } from '../harness/gateway.ts';
import { evidenceByRun } from './ledger-of.ts';

/** How long the model of the tests takes, in milliseconds, so that every replica has runs under way at any moment. */
const LATENCY_MS = 15;
/** What a client waits before it asks again after a 503. */
const PATIENCE_MS = 25;
/** So many of the newest answers that are kept for pick-up are picked up. */
const MAX_ANSWERS = 100;
/** Characters of a replica's log that tell why it is gone. */
const LAST_LINES = 2_000;
const DONE = 'data: [DONE]\n\n';

export const slowly: Behaviour = async (request, response) => {
  await Promise.race([delay(LATENCY_MS), request.disconnected]);
  // A gateway that was stopped for seconds would find its kept connections closed, and end a run for that.
  response.shouldKeepAlive = false;
  if (!response.destroyed) await answer()(request, response);
};

/** `default` guarded and whole or streamed, `patient` lets callers wait for a decision. */
export function replicaConfig(upstream: string): GatewayConfig {
  const route = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
  return echoConfig({
    approvals: { max_paused_per_principal: 10_000 },
    providers: { upstream: { type: 'openai', base_url: upstream, timeout_ms: 300_000, connections: 500 } },
    routes: { default: route, patient: { ...route, approval_wait_ms: 120_000 } },
  });
}

/** What the ledger must say of a run, by an answer that a client has. */
interface Receipt {
  readonly run_id: string;
  readonly evidence: string;
}

/** A frame, as far as it tells of the run. */
interface LastFrame {
  readonly svc_run_id?: string;
  readonly svc_evidence?: string;
}

export type Kind = 'chat' | 'stream' | 'background' | 'pause' | 'decide';
const ALL: readonly Kind[] = ['chat', 'stream', 'background', 'chat', 'pause', 'chat', 'stream', 'decide'];

/** Clients of several replicas that send one request after another, and what they were told. */
export class ReplicaLoad {
  readonly #turns: readonly Kind[];
  readonly #receipts: Receipt[] = [];
  /** Background runs that were accepted. */
  readonly #accepted: string[] = [];
  /** Runs that were told to be paused, and on which nobody has decided. */
  readonly #paused: string[] = [];
  /** Each its own text: a decision on a request holds for its repetitions. */
  #asked = 0;
  /** Runs on which a decision was sent whose answer never came. */
  readonly #undecided: string[] = [];
  readonly #clients = new Set<Promise<void>>();
  /** How many clients each replica still has. */
  readonly #driving = new Map<TestGateway, number>();
  readonly #answers = new Map<TestGateway, number>();
  readonly #waiting = new Set<() => void>();
  #stopped = false;
  /** Answers with SVC-STORE-001 so far. */
  refused = 0;

  /** @param turns what each client asks for, in turn */
  constructor(turns: readonly Kind[] = ALL) {
    this.#turns = turns;
  }

  /** Clients of one replica. Each goes on until the load stops, or until the replica is gone. */
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

  /**
   * Resolves once this many more requests of each of these replicas were answered well. One that has no client any more, since it is gone,
   * would never answer: that is a failure at once.
   */
  async answered(count: number, ...gateways: readonly TestGateway[]): Promise<void> {
    const goals = gateways.map((gateway) => ({ gateway, goal: (this.#answers.get(gateway) ?? 0) + count }));
    while (!goals.every(({ gateway, goal }) => (this.#answers.get(gateway) ?? 0) >= goal)) {
      const gone = gateways.find((gateway) => !this.#driving.get(gateway));
      if (gone !== undefined) throw new Error(`a replica is gone; its last lines: ${gone.output.slice(-LAST_LINES)}`);
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.#failed()]);
    }
  }

  /** Resolves once this many more requests were refused. */
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
   * Decides on what is paused, waits until every run rests, and checks that the ledger is one whole chain that holds all that clients were
   * told, one evidence a run.
   * @param gateway any that has its database
   */
  async settle(gateway: TestGateway): Promise<void> {
    for (const run_id of this.#paused.splice(0)) await this.#decide(gateway, run_id);
    await allAtRest(gateway);
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
        else await delay(PATIENCE_MS);
      } catch (error) {
        // The connection broke; a failed expectation is something else.
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

  /** @returns whether it was answered well */
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
        // The oldest: most likely it paused on another replica.
        const run_id = this.#paused.shift();
        return run_id === undefined || this.#decide(gateway, run_id);
      }
    }
  }

  async #stream(gateway: TestGateway): Promise<boolean> {
    const answer = await gateway.chat('hello', { stream: true });
    if (!this.#well(answer)) return false;
    const whole = answer.text.endsWith(DONE);
    // Without its evidence no stream says that it is done.
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

/** Waits until no run is under way; each look waits for the server, not for a clock. */
async function allAtRest(gateway: TestGateway): Promise<void> {
  for (;;) {
    const { pending, running } = (await gateway.get('/v1/audit/report')).body.run_stats;
    if (pending + running === 0) return;
  }
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
