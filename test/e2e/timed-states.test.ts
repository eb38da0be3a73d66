import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pausedRun } from '../contract/pausing-gateway.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { NOTICE_SECRET, NoticeReceiver, type ReceivedNotice, verifiedNotice } from '../harness/notice-receiver.ts';
import { until } from '../harness/until.ts';
import { WorkerConnection } from '../harness/worker-connection.ts';

/** What ends or begins at a time, in a gateway of two processes that is killed and started again. */
const WORKERS = 2;
const ROUTE_STATES = '/v1/operations/states/route';

let receiver: NoticeReceiver;
let gateway: TestGateway;
let workers: WorkerConnection[];
beforeAll(async () => {
  receiver = await new NoticeReceiver().listen();
  const route = (more: JsonObject = {}): JsonObject => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    approvers: ['bob'],
    ...more,
  });
  const secret = 'secret://env/NOTICE_SECRET#value';
  const target = { name: 'hook', type: 'webhook', url: receiver.url, secret, allow_private: true, on: ['escalated'] };
  gateway = await TestGateway.start({
    config: echoConfig({
      server: { workers: WORKERS },
      notices: { public_url: 'https://svc.example.org', group_for: '1s', targets: [target] },
      routes: {
        short: route(),
        long: route(),
        soon: route({ escalate: { after: '1s', approvers: ['carol'] } }),
        late: route({ escalate: { after: '1h', approvers: ['carol'] } }),
      },
    }),
    principals: [
      { principal_id: 'alice' },
      ...['bob', 'carol', 'dave', 'erin'].map((principal_id) => ({ principal_id, roles: ['approve'] })),
      { principal_id: 'ada', roles: ['admin', 'audit'] },
    ],
    env: { NOTICE_SECRET },
  });
  workers = await WorkerConnection.toEach(gateway, WORKERS);
});
afterAll(async () => {
  for (const worker of workers) worker.close();
  await gateway.stop();
  await gateway.allEnded();
  await gateway.dispose();
  await receiver.close();
});

const stop = async (route: string, period: string): Promise<void> => {
  const body = { state: 'disabled', for: period, reason: 'a leak' };
  expect((await gateway.request('PUT', `${ROUTE_STATES}/${route}`, { principal: 'ada', body })).status).toBe(200);
};
const delegate = async (to: string, period: string): Promise<string> => {
  const { status, body } = await gateway.post('/v1/approvals/delegations', { to, for: period, reason: 'on leave' }, 'bob');
  expect(status).toBe(201);
  return body.id;
};
/** The answers of both workers. */
const atEach = (method: string, path: string, options: { principal?: string; body?: object } = {}) =>
  Promise.all(workers.map(async (worker) => (await worker.request(method, path, options)).status));
const chat = (model: string) =>
  atEach('POST', '/v1/chat/completions', { body: { model, messages: [{ role: 'user', content: 'hello' }] } });
const pending = (run_id: string, principal: string) => atEach('GET', `/v1/runs/${run_id}/pending`, { principal });

/** The ends in the operations log since an entry, by their target. */
async function ends(since: number): Promise<string[]> {
  const { records } = (await gateway.get('/v1/audit/operations?limit=1000', 'ada')).body;
  return records
    .filter(({ seq, actor }: { seq: number; actor: JsonObject }) => seq > since && actor.principal_id === null)
    .filter(({ action }: JsonObject) => /^(?:state|delegation)\./.test(String(action)))
    .map(({ target }: { target: JsonObject }) => target.name);
}
const newest = async (): Promise<number> =>
  (await gateway.get('/v1/audit/operations?limit=1000', 'ada')).body.records.at(-1)?.seq ?? 0;

it('a stop and a delegation end at both workers, and each end is recorded once', async () => {
  const since = await newest();
  await stop('short', '1s');
  const run_id = await pausedRun(gateway, 'wire transfer, first', { route: 'long' });
  const id = await delegate('erin', '3s');
  await until(async () => (await pending(run_id, 'erin')).every((status) => status === 200));
  await until(async () => (await chat('short')).every((status) => status === 200));
  await until(async () => (await pending(run_id, 'erin')).every((status) => status === 403));
  await until(async () => (await ends(since)).length >= 2);
  expect((await ends(since)).toSorted()).toEqual(['short', id].toSorted());
});

it('after a kill and a start, both workers know what ended, what lasts and who may decide as well', async () => {
  const since = await newest();
  await stop('long', '1h');
  await stop('short', '1s');
  const lasting = await delegate('dave', '1h');
  const ended = await delegate('erin', '1s');
  const soon = await pausedRun(gateway, 'wire transfer, second', { route: 'soon' });
  const late = await pausedRun(gateway, 'wire transfer, third', { route: 'late' });
  for (const worker of workers) worker.close();
  await gateway.stop('SIGKILL');
  await gateway.allEnded();
  await gateway.launch();
  workers = await WorkerConnection.toEach(gateway, WORKERS);

  expect(await chat('long')).toEqual([503, 503]);
  expect(await pending(late, 'dave')).toEqual([200, 200]);
  expect(await pending(late, 'carol')).toEqual([403, 403]);
  await until(async () => (await chat('short')).every((status) => status === 200));
  await until(async () => (await pending(late, 'erin')).every((status) => status === 403));
  await until(async () => (await pending(soon, 'carol')).every((status) => status === 200));
  await until(async () => (await ends(since)).length >= 2);
  expect((await ends(since)).toSorted()).toEqual(['short', ended].toSorted());
  const { delegations } = (await gateway.get('/v1/approvals/delegations', 'bob')).body;
  expect(delegations.map(({ id }: { id: string }) => id)).toEqual([lasting]);

  const [notice] = await receiver.first(1);
  expect(verifiedNotice(notice as ReceivedNotice)).toMatchObject({
    type: 'notice',
    data: {
      count: 1,
      url: `https://svc.example.org/approvals#run=${soon}`,
      groups: [{ event: 'escalated', route: 'soon', name: 'policy', code: 'wire', run_ids: [soon] }],
    },
  });
  expect(notice?.text).not.toContain('transfer');
  const { events } = (await gateway.get(`/v1/runs/${soon}`)).body;
  expect(events.filter(({ event_type }: JsonObject) => event_type === 'escalated')).toHaveLength(1);
});
