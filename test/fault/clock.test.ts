import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, RunEvent } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { evidenceByRun } from './ledger-of.ts';
import { Machine, whyNoMachine } from './machine/machine.ts';

const YEAR_S = 365 * 24 * 3600;
/** The gateway looks at the clock once a second. */
const LOOK_MS = 1000;
const reason = whyNoMachine();

describe.skipIf(reason !== null)(`a clock that is moved${reason === null ? '' : `: ${reason}`}`, () => {
  let folder: string;
  let machine: Machine;
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-clock-'));
    machine = new Machine(join(folder, 'data.mdb'));
    upstream = await startUpstream();
    const config = echoConfig({
      packs: { two: { type: 'budget', limits: [{ scope: 'principal', unit: 'requests', amount: 2, period: 'month' }] } },
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      routes: {
        slow: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask'], egress: [] } },
        scarce: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['two'], egress: ['two'] } },
      },
    });
    gateway = await TestGateway.start({ config, args: ['--runs-db', folder], env: machine.env });
  });
  afterAll(async () => {
    await gateway.dispose();
    await upstream.close();
    machine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Moves the clock, and lets the gateway see it: the time that its look takes to come due is no wait for an event. */
  async function move(seconds: number): Promise<void> {
    machine.moveClock(seconds);
    const due = performance.now() + LOOK_MS;
    await until(async () => {
      const isDue = performance.now() >= due;
      await gateway.chat('hello');
      return isDue;
    });
  }

  /** The clock's course in these tests: a year on, a year back, and right again. */
  const COURSE = [YEAR_S, -YEAR_S, 0];

  it('keeps the order of records, and no duration is negative or a year long', async () => {
    const { behaviour, release } = held(answer('late'));
    upstream.respond(behaviour);
    const running = gateway.chat('hello', { model: 'slow' });
    await upstream.received(1);
    for (const seconds of COURSE) await move(seconds);
    release();
    expect((await running).status).toBe(200);

    const evidence = [...(await evidenceByRun(gateway)).values()];
    const times = evidence.map(({ completed_at }) => Date.parse(completed_at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (const { created_at, completed_at, events } of evidence) {
      expect(Date.parse(completed_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
      expect(Math.abs(Date.parse(completed_at) - Date.now())).toBeLessThan(3_600_000);
      for (const { data } of events as unknown as RunEvent[]) {
        const spent = [(data as JsonObject).duration_ms, (data as JsonObject).latency_ms].filter((ms) => ms !== undefined);
        for (const ms of spent) expect(Number(ms)).toBeLessThan(3_600_000);
        for (const ms of spent) expect(Number(ms)).toBeGreaterThanOrEqual(0);
      }
    }
    const { body } = await gateway.get('/v1/audit');
    const newestFirst = body.runs.map((run: { created_at: string }) => run.created_at);
    expect(newestFirst).toEqual(newestFirst.toSorted().toReversed());
  });

  it('neither uses up nor renews a budget', async () => {
    const finish = async () => (await gateway.chat('hello', { model: 'scarce' })).body.choices[0].finish_reason;
    expect([await finish(), await finish(), await finish()]).toEqual(['stop', 'stop', 'content_filter']);
    for (const seconds of COURSE) {
      await move(seconds);
      expect(await finish()).toBe('content_filter');
    }
  });

  it('expires no paused run', async () => {
    // Each its own text: a decision on a request holds for its repetitions.
    let last = 0;
    const pause = async (): Promise<string> => (await gateway.chat(`a wire transfer, number ${++last}`)).body.svc_run_id;
    const waiting = [await pause()];
    for (const seconds of COURSE) {
      await move(seconds);
      waiting.push(await pause());
      const [first] = waiting.splice(0, 1);
      const { body } = await gateway.post(`/v1/runs/${first}/resume`, { decision: 'approved' }, 'bob');
      expect(body).toMatchObject({ status: 'completed', response: expect.stringMatching(/^echo: a wire transfer, number/) });
    }
  });

  it('is logged, and a start under a clock that is a year behind is refused until it is accepted', async () => {
    const said = gateway.output.split('\n').filter((line) => line.includes('"event":"clock_moved"'));
    expect(said.length).toBeGreaterThanOrEqual(3);
    const before = (await evidenceByRun(gateway)).size;
    machine.moveClock(-YEAR_S);
    expect(await gateway.stop()).toBe(0);
    // Budgets of a period that is over would be fresh again.
    await expect(gateway.launch()).rejects.toThrow(/ended with 1.*--accept-clock/s);
    // As much as clocks of machines may differ.
    machine.moveClock(-240);
    await gateway.launch();
    expect(await gateway.stop()).toBe(0);
    machine.moveClock(-YEAR_S);
    await gateway.launch(['--runs-db', folder, '--accept-clock']);
    expect((await gateway.chat('hello')).status).toBe(200);
    expect((await evidenceByRun(gateway)).size).toBe(before + 1);
    expect((await gateway.get('/v1/audit/ledger/checkpoint')).status).toBe(200);
    // From then on that record is the newest.
    expect(await gateway.stop()).toBe(0);
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
  });
});
