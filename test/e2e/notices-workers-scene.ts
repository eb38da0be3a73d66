import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { NOTICE_SECRET, NoticeReceiver } from '../harness/notice-receiver.ts';
import type { RunsDb } from '../harness/runs-dbs.ts';
import { until } from '../harness/until.ts';

/** @param lapse what the passing of 20 seconds does to the lease of a killed worker, if the store allows it: else the test waits for them */
export function testNotices(open: () => Promise<RunsDb>, lapse = async (_runs: RunsDb): Promise<void> => {}): void {
  const RUNS = 40;

  let runs: RunsDb;
  let receiver: NoticeReceiver;
  let gateway: TestGateway;
  beforeAll(async () => {
    [runs, receiver] = await Promise.all([open(), new NoticeReceiver().listen()]);
    const target = { name: 'hook', type: 'webhook', url: receiver.url, allow_private: true };
    const secret = 'secret://env/NOTICE_SECRET#value';
    const targets = [{ ...target, secret, on: ['paused', 'budget_low'] }];
    const limits = [{ scope: 'principal', unit: 'requests', amount: 50, period: 'month' }];
    const notices = { public_url: 'https://svc.example.org', group_for: '3s', budget_percent: 50, targets };
    const pipeline = { ingress: ['spend', 'policy'], egress: ['spend'] };
    gateway = await TestGateway.start({
      config: echoConfig({
        server: { workers: 2 },
        notices,
        packs: { spend: { type: 'budget', limits } },
        routes: { default: { provider: 'local', model: 'echo-1', pipeline } },
      }),
      args: ['--runs-db', runs.url],
      env: { NOTICE_SECRET },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await gateway.allEnded();
    await gateway.dispose();
    await Promise.all([receiver.close(), runs.remove()]);
  });

  /** Over a new connection: these go to the workers in turn. */
  async function paused(): Promise<void> {
    const headers = { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/v1/runs`, { method: 'POST', agent: false, headers });
    asked.end(JSON.stringify({ messages: [{ role: 'user', content: 'wire transfer' }] }));
    const [response] = await once(asked, 'response');
    expect(await json(response)).toMatchObject({ status: 'paused' });
  }

  const groups = () => receiver.received.flatMap(({ body }) => body.data.groups);
  const countOf = (event: string): number =>
    groups().reduce((sum: number, group: { event: string; count: number }) => sum + (group.event === event ? group.count : 0), 0);

  it('what two workers see is reported once', async () => {
    for (let count = 0; count < RUNS; count += 1) await paused();
    await until(() => countOf('paused') >= RUNS && countOf('budget_low') > 0);
    const pids = [...gateway.output.matchAll(/"pid":(\d+)[^\n]*"event":"request"/g)].map(([, pid]) => pid);
    expect(new Set(pids).size).toBe(2);
    expect([countOf('paused'), countOf('budget_low')]).toEqual([RUNS, 1]);
  });

  it('if the worker that sends is killed, the other one sends the message', async () => {
    receiver.respond = (response) => response.writeHead(500).end();
    const before = receiver.received.length;
    await paused();
    const pid = await gateway.until((output) => /"pid":(\d+)[^\n]*"event":"notice_failed"/.exec(output)?.[1]);
    process.kill(Number(pid), 'SIGKILL');
    await gateway.until((output) => (output.includes('"event":"worker_ended"') ? true : undefined));
    await lapse(runs);
    receiver.respond = (response) => response.writeHead(204).end();
    const from = gateway.output.length;
    const sender = await gateway.until((output) => /"pid":(\d+)[^\n]*"event":"notice_sent"/.exec(output.slice(from))?.[1]);
    expect(sender).not.toBe(pid);
    const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(countOf('budget_low')).toBe(1);
  });
}
