import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { decide, type Event, evidenceOf, ofType, pausedRun, statusOf } from './pausing-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = (more: JsonObject): JsonObject => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    approvers: ['bob'],
    ...more,
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      auth: { groups: { leads: ['erin'] } },
      routes: {
        soon: route({ escalate: { after: '1s', approvers: ['carol', 'group/leads', 'bob'] } }),
        late: route({ escalate: { after: '1h', approvers: ['carol'] } }),
        'four-eyes': route({ self_approval: false, escalate: { after: '1s', approvers: ['alice', 'carol'] } }),
        two: route({ approvals: 2, escalate: { after: '1s', approvers: ['carol'] } }),
      },
    }),
    principals: [
      { principal_id: 'alice' },
      ...['bob', 'carol', 'dave', 'erin'].map((principal_id) => ({ principal_id, roles: ['approve'] })),
    ],
  });
});
afterAll(() => gateway.dispose());

const STRANGER = { status: 403, body: { code: 'SVC-AUTH-003' } };
let last = 0;
const paused = (route: string) => pausedRun(gateway, `wire transfer ${++last}`, { route });
const pending = (run_id: string, principal: string) => gateway.get(`/v1/runs/${run_id}/pending`, principal);
const escalated = (run_id: string, principal = 'carol') =>
  expect.poll(async () => (await pending(run_id, principal)).status, { timeout: 10_000 }).toBe(200);

it('lets further approvers decide once it is due, and the evidence says so', async () => {
  const run_id = await paused('soon');
  const { may_decide, events } = (await gateway.get(`/v1/runs/${run_id}`, 'bob')).body;
  const { escalation } = Object(ofType(events, 'paused')[0]?.data);
  const own = { until: null, on_behalf_of: null, delegation_id: null };
  expect(may_decide).toEqual([
    { approver: 'bob', from: null, ...own },
    { approver: 'carol', from: escalation.at, ...own },
    { approver: 'group/leads', from: escalation.at, ...own },
  ]);
  expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
  await escalated(run_id);
  expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
  expect(await pending(run_id, 'bob')).toMatchObject({ status: 200, body: { may_decide } });
  expect((await gateway.get(`/v1/runs/${run_id}`, 'carol')).body.principal_id).toBe('alice');
  expect(await decide(gateway, run_id, 'approved', 'erin')).toMatchObject({ status: 200, body: { status: 'completed' } });
  const [record] = await evidenceOf(gateway, run_id);
  const [decision] = ofType(record?.events as unknown as Event[], 'decision');
  expect(decision?.data).toMatchObject({ principal_id: 'erin', escalated_at: escalation.at });
  expect((await gateway.get(`/v1/runs/${run_id}/response`, 'erin')).status).toBe(200);
  expect(await gateway.get(`/v1/runs/${run_id}/response`, 'carol')).toMatchObject(STRANGER);
  // Another approver was faster, which is not the same as no right.
  expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
  expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
});

it('leaves the first approvers as they are', async () => {
  const run_id = await paused('soon');
  await escalated(run_id);
  await decide(gateway, run_id, 'approved', 'bob');
  const [record] = await evidenceOf(gateway, run_id);
  expect(ofType(record?.events as unknown as Event[], 'decision')[0]?.data).not.toHaveProperty('escalated_at');
});

it('is listed with its route', async () => {
  const { routes } = (await gateway.get('/v1/routes', 'alice')).body;
  const byName = Object.fromEntries(routes.map(({ name, escalate }: { name: string; escalate: unknown }) => [name, escalate]));
  expect(byName.late).toEqual({ after_s: 3600, approvers: ['carol'] });
  expect(byName.soon).toEqual({ after_s: 1, approvers: ['carol', 'group/leads', 'bob'] });
});

it('refuses them before its time', async () => {
  const run_id = await paused('late');
  expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject(STRANGER);
  expect(await statusOf(gateway, run_id)).toBe('paused');
});

it('counts from the pause, even after a restart', async () => {
  const run_id = await paused('soon');
  await gateway.stop();
  await gateway.launch();
  await escalated(run_id);
});

it('never lets the caller decide if self-approval is off', async () => {
  const run_id = await paused('four-eyes');
  await escalated(run_id);
  expect(await decide(gateway, run_id, 'approved', 'alice')).toMatchObject(STRANGER);
});

it('gives a run that lacks an approval its second approver', async () => {
  const run_id = await paused('two');
  await decide(gateway, run_id, 'approved', 'bob');
  await escalated(run_id);
  expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
});

it('applies to the delegate of an escalated approver', async () => {
  const run_id = await paused('soon');
  const body = { to: 'dave', for: '1h', reason: 'on leave' };
  const { id } = (await gateway.post('/v1/approvals/delegations', body, 'carol')).body;
  await escalated(run_id, 'dave');
  expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject({ body: { status: 'completed' } });
  const [record] = await evidenceOf(gateway, run_id);
  expect(ofType(record?.events as unknown as Event[], 'decision')[0]?.data).toMatchObject({
    escalated_at: expect.any(String),
    on_behalf_of: { delegation_id: id, principal_id: 'carol' },
  });
});
