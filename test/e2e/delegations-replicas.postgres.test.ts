import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { decide, pausedRun } from '../contract/pausing-gateway.ts';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';

const PATH = '/v1/approvals/delegations';

let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  const route = {
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    approvers: ['bob', 'carol'],
  };
  const routes = { bounded: route, two: { ...route, approvals: 2 } };
  replicas = await Replicas.start(inject('postgres'), echoConfig({ routes }), 0);
  const principals = [
    ...['alice', 'bob', 'carol', 'dave'].map((principal_id) => ({ principal_id })),
    { principal_id: 'root', roles: ['admin', 'audit'] },
  ];
  [one, other] = await Promise.all([replicas.add(replicas.url, principals), replicas.add(replicas.url, principals)]);
});
afterAll(() => replicas?.dispose());

const delegated = async (period: string): Promise<string> =>
  (await one.post(PATH, { to: 'dave', for: period, reason: 'on leave' }, 'bob')).body.id;
const pending = async (run_id: string) => (await other.get(`/v1/runs/${run_id}/pending`, 'dave')).status;

it('a delegation of one replica is valid at another, and ends there too', async () => {
  const id = await delegated('1h');
  const run_id = await pausedRun(one, 'a wire transfer', { route: 'two' });
  await until(async () => (await pending(run_id)) === 200);
  expect(await decide(other, run_id, 'approved', 'dave')).toMatchObject({ body: { status: 'paused' } });
  expect(await decide(one, run_id, 'approved', 'bob')).toMatchObject({ status: 409, body: { code: 'SVC-APPR-002' } });
  expect((await one.request('DELETE', `${PATH}/${id}`, { principal: 'bob' })).status).toBe(200);
  await until(async () => (await pending(run_id)) === 403);
  expect(await decide(other, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'paused' } });
  expect(await decide(other, run_id, 'approved', 'bob')).toMatchObject({ body: { status: 'completed' } });
});

it('a delegation expires at both, and its end is recorded once', async () => {
  const id = await delegated('2s');
  const run_id = await pausedRun(one, 'another wire transfer', { route: 'bounded' });
  await until(async () => (await pending(run_id)) === 200);
  await until(async () => (await pending(run_id)) === 403);
  const ends = async (): Promise<unknown[]> => {
    const { records } = (await other.get('/v1/audit/operations?limit=1000', 'root')).body;
    return records.filter(
      ({ action, target }: { action: string; target: { name: string } }) => action === 'delegation.ended' && target.name === id,
    );
  };
  await until(async () => (await ends()).length > 0);
  // Both have had their turn once later work is done.
  await delegated('1h');
  expect(await ends()).toHaveLength(1);
});
