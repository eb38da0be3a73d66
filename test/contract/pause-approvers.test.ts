import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { decide, evidenceOf, pausedRun, statusOf } from './pausing-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = (more: JsonObject): JsonObject => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    ...more,
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      routes: {
        open: route({}),
        bounded: route({ approvers: ['bob', 'carol'] }),
        'four-eyes': route({ self_approval: false }),
        'four-eyes-bounded': route({ self_approval: false, approvers: ['alice', 'bob'] }),
      },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'carol' },
      { principal_id: 'dave' },
      { principal_id: 'caller', roles: ['call', 'audit'] },
      { principal_id: 'elsewhere', routes: ['default'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const paused = (route: string, approvers?: string[], more: JsonObject = {}): Promise<string> =>
  pausedRun(gateway, 'a wire transfer', { route, ...(approvers === undefined ? {} : { approvers }), ...more });
const approversOf = async (run_id: string): Promise<string[]> => (await gateway.get(`/v1/runs/${run_id}`)).body.approvers;
const STRANGER = { status: 403, body: { code: 'SVC-AUTH-003' } };

describe("a route's approvers limit the body's", () => {
  it.each([[['dave']], [['bob', 'dave']], [['bob', 'alice']], [['BOB']], [['bob ']], [['']]])(
    '%j is not a subset: 400, and no run is created',
    async (approvers) => {
      const before = (await gateway.get('/v1/audit?route=bounded')).body.runs.length;
      const body = { route: 'bounded', messages: [{ role: 'user', content: 'a wire transfer' }], approvers };
      expect(await gateway.post('/v1/runs', body)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
      expect((await gateway.get('/v1/audit?route=bounded')).body.runs).toHaveLength(before);
    },
  );

  it('a subset applies: others may not decide, even if the route lists them', async () => {
    const run_id = await paused('bounded', ['carol']);
    expect(await approversOf(run_id)).toEqual(['carol']);
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(STRANGER);
    expect(await statusOf(gateway, run_id)).toBe('paused');
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it.each([[undefined], [[]]])("%j in the body inherits the route's", async (approvers) => {
    const run_id = await paused('bounded', approvers);
    expect(await approversOf(run_id)).toEqual(['bob', 'carol']);
    for (const stranger of ['alice', 'dave']) expect(await decide(gateway, run_id, 'denied', stranger)).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'denied', 'bob')).toMatchObject({ status: 200 });
  });

  it("a chat has the route's", async () => {
    const { body } = await gateway.chat('a wire transfer', { model: 'bounded', principal: 'bob' });
    expect(await approversOf(body.svc_run_id)).toEqual(['bob', 'carol']);
    expect(await decide(gateway, body.svc_run_id, 'approved', 'dave')).toMatchObject(STRANGER);
    expect(await decide(gateway, body.svc_run_id, 'approved', 'carol')).toMatchObject({ status: 200 });
  });

  it('a background run has its own too', async () => {
    const body = { route: 'bounded', messages: [{ role: 'user', content: 'a wire transfer' }], approvers: ['carol'] };
    const { run_id } = (await gateway.post('/v1/runs', { ...body, background: true })).body;
    await until(async () => (await statusOf(gateway, run_id)) === 'paused');
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
  });
});

describe('a principal that cannot decide is not an approver', () => {
  it.each([
    ['unknown', 'open', ['nobody']],
    ['unknown beside one who can', 'open', ['bob', 'nobody']],
    ['without the role', 'open', ['caller']],
    ['with keys for other routes', 'open', ['elsewhere']],
    ['who asks, where that is barred', 'four-eyes', ['alice']],
  ])('%s: 400 for every request, and no run is created', async (_, route, approvers) => {
    const before = (await gateway.get(`/v1/audit?route=${route}`)).body.runs.length;
    for (const more of [{}, { background: true }]) {
      const refused = await gateway.post('/v1/runs', {
        route,
        messages: [{ role: 'user', content: 'hello' }],
        approvers,
        ...more,
      });
      expect(refused).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
      expect(refused.text).not.toMatch(/nobody|caller|elsewhere/);
    }
    expect((await gateway.get(`/v1/audit?route=${route}`)).body.runs).toHaveLength(before);
  });
});

describe('on a route without approvers', () => {
  it("the body's approvers apply, whoever they are", async () => {
    const run_id = await paused('open', ['dave']);
    for (const stranger of ['alice', 'bob']) expect(await decide(gateway, run_id, 'approved', stranger)).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject({ status: 200 });
  });

  it.each(['alice', 'dave'])('and without approvers in the body, any key may decide: %s', async (principal_id) => {
    const run_id = await paused('open');
    expect(await decide(gateway, run_id, 'approved', principal_id)).toMatchObject({ status: 200 });
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ approver: { principal_id, decision: 'approved' } }]);
  });
});

describe('self_approval: false', () => {
  it.each(['four-eyes', 'four-eyes-bounded'])('the creator may not decide on %s, others may', async (route) => {
    const run_id = await paused(route);
    for (const decision of ['approved', 'denied'] as const)
      expect(await decide(gateway, run_id, decision, 'alice')).toMatchObject(STRANGER);
    expect(await gateway.get(`/v1/runs/${run_id}/pending`, 'alice')).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('and not even if the body names them', async () => {
    const run_id = await paused('four-eyes', ['alice', 'carol']);
    expect(await decide(gateway, run_id, 'approved', 'alice')).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 200 });
  });
});

describe('a decision is refused in order', () => {
  it.each([[{}], [{ decision: 'maybe' }], [{ decision: null }], [{ decision: ['approved'] }], [[]], ['approved']])(
    '400 for %j before 404',
    async (body) => {
      expect(await gateway.post('/v1/runs/none/resume', JSON.stringify(body))).toMatchObject({
        status: 400,
        body: { code: 'SVC-REQ-001' },
      });
    },
  );

  it('404 for an unknown run', async () => {
    for (const run_id of ['none', '00000000-0000-7000-8000-000000000000', '%20', 'x'.repeat(2000)])
      expect(await decide(gateway, run_id, 'approved')).toMatchObject({ status: 404, body: { code: 'SVC-RUN-001' } });
  });

  it('403 for a stranger before 409, so that nothing about the run is revealed', async () => {
    const run_id = await paused('bounded');
    await decide(gateway, run_id, 'denied', 'bob');
    expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
  });

  it('403 SVC-AUTH-002 for a key without the role, and for one of another route', async () => {
    const run_id = await paused('open');
    for (const principal of ['caller', 'elsewhere']) {
      const refused = { status: 403, body: { code: 'SVC-AUTH-002' } };
      expect(await decide(gateway, run_id, 'approved', principal)).toMatchObject(refused);
      expect(await gateway.get(`/v1/runs/${run_id}/pending`, principal)).toMatchObject(refused);
    }
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });

  it('a key of another route also learns nothing about a run that has ended', async () => {
    const run_id = await paused('open');
    await decide(gateway, run_id, 'denied');
    for (const path of ['', '/pending', '/response']) {
      const answer = await gateway.get(`/v1/runs/${run_id}${path}`, 'elsewhere');
      expect({ path, status: answer.status, code: answer.body.code }).toMatchObject({ path, status: 403 });
    }
  });
});
