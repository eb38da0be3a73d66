import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { decide, type Event, evidenceOf, ofType, pausedRun, statusOf } from './pausing-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = (more: object) => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    ...more,
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      auth: { groups: { finance: ['carol', 'dave'], empty: [] } },
      approvals: { reuse_for: '10m' },
      routes: {
        two: route({ approvals: 2 }),
        'four-eyes': route({ approvals: 2, self_approval: false }),
        finance: route({ approvers: ['group/finance'] }),
        many: route({ approvals: 4 }),
        waits: route({ approvals: 2, approval_wait_ms: 60_000 }),
        short: route({ approvals: 2, approvers: ['bob', 'carol'] }),
      },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'carol' },
      { principal_id: 'dave' },
      { principal_id: 'erin' },
      { principal_id: 'root', roles: ['admin'] },
    ],
  });
});
afterAll(() => gateway.dispose());

let last = 0;
const paused = (route: string, more = {}) => pausedRun(gateway, `wire transfer ${++last}`, { route, ...more });
const pending = async (run_id: string, principal = 'bob') => (await gateway.get(`/v1/runs/${run_id}/pending`, principal)).body;
const decisionsIn = (events: Event[]) => ofType(events, 'decision').map(({ data }) => [data.principal_id, data.approvals]);

describe('a quorum of two', () => {
  it("waits after the first approval, and continues after another person's", async () => {
    const run_id = await paused('two');
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject({ status: 200, body: { status: 'paused' } });
    expect(await pending(run_id, 'carol')).toMatchObject({
      approvals: { given: 1, needed: 2 },
      decisions: [{ principal_id: 'bob', decision: 'approved', reason: null }],
    });
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 200, body: { status: 'completed' } });
    const [record] = await evidenceOf(gateway, run_id);
    expect(decisionsIn(record?.events as unknown as Event[])).toEqual([
      ['bob', { given: 1, needed: 2 }],
      ['carol', { given: 2, needed: 2 }],
    ]);
    expect(record?.approver).toMatchObject({ principal_id: 'carol', decision: 'approved' });
  });

  it('keeps a caller waiting until the last approval', async () => {
    const answer = gateway.chat(`wire transfer ${++last}`, { model: 'waits' });
    const run_id = await decideOnNext(gateway, 'waits', 'approved', 'bob');
    expect(await pending(run_id, 'carol')).toMatchObject({ approvals: { given: 1, needed: 2 } });
    await decide(gateway, run_id, 'approved', 'carol');
    expect((await answer).body.choices[0].finish_reason).toBe('stop');
    expect(await statusOf(gateway, run_id)).toBe('completed');
  });

  it('counts a person once, whichever key is used, and records nothing twice', async () => {
    const { body } = await gateway.post('/v1/keys', { principal_id: 'bob', roles: ['approve'] }, 'root');
    const run_id = await paused('two');
    const before = await decide(gateway, run_id, 'approved', 'bob');
    for (const key of [gateway.key('bob'), body.key]) {
      const response = await fetch(`${gateway.url}/v1/runs/${run_id}/resume`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'approved' }),
      });
      expect([response.status, await response.json()]).toMatchObject([200, { status: 'paused', events: before.body.events }]);
    }
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
  });

  it('is ended by one denial, even by a person who approved before', async () => {
    for (const [first, second] of [
      ['bob', 'carol'],
      ['bob', 'bob'],
    ] as const) {
      const run_id = await paused('two');
      await decide(gateway, run_id, 'approved', first);
      expect(await decide(gateway, run_id, 'denied', second)).toMatchObject({ status: 200, body: { status: 'denied' } });
      expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    }
  });

  it('counts each of many concurrent approvals, and continues the run once', async () => {
    const run_id = await paused('many');
    const people = ['alice', 'bob', 'carol', 'dave'];
    const answers = await Promise.all([...people, ...people].map((person) => decide(gateway, run_id, 'approved', person)));
    expect(answers.filter(({ body }) => body.status === 'completed').length).toBeGreaterThanOrEqual(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const [record, ...others] = await evidenceOf(gateway, run_id);
    expect(others).toEqual([]);
    const decided = decisionsIn(record?.events as unknown as Event[]);
    expect(decided.map(([who]) => who).toSorted()).toEqual(people);
    expect(decided.map(([, approvals]) => Object(approvals).given)).toEqual([1, 2, 3, 4]);
  });

  it('does not count the caller if self_approval is false', async () => {
    const run_id = await paused('four-eyes');
    expect(await decide(gateway, run_id, 'approved', 'alice')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    await decide(gateway, run_id, 'approved', 'bob');
    expect(await decide(gateway, run_id, 'approved', 'alice')).toMatchObject({ status: 403 });
    expect(await statusOf(gateway, run_id)).toBe('paused');
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
  });

  it('does not count the approval of a principal that was disabled since', async () => {
    const run_id = await paused('two');
    await decide(gateway, run_id, 'approved', 'erin');
    const set = (state: string) =>
      gateway.request('PUT', '/v1/operations/states/principal/erin', { principal: 'root', body: { state } });
    await set('disabled');
    expect(await pending(run_id)).toMatchObject({ approvals: { given: 0, needed: 2 } });
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject({ body: { status: 'paused' } });
    await set('enabled');
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
  });

  it('one approval of each applies to every copy of the request', async () => {
    const text = `wire transfer ${++last}`;
    const runs = [await pausedRun(gateway, text, { route: 'two' }), await pausedRun(gateway, text, { route: 'two' })];
    const [first = '', second = ''] = runs;
    await decide(gateway, first, 'approved', 'bob');
    const late = await pausedRun(gateway, text, { route: 'two' });
    expect(await pending(second)).toMatchObject({ approvals: { given: 1, needed: 2 } });
    expect(await decide(gateway, second, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
    // It came after the first approval.
    expect(await pending(late, 'bob')).toMatchObject({ approvals: { given: 1, needed: 2 } });
  });

  it('refuses a body with too few approvers', async () => {
    const messages = [{ role: 'user', content: 'wire transfer' }];
    for (const [route, approvers] of [
      ['short', ['bob']],
      ['two', ['bob']],
      ['four-eyes', ['alice', 'bob']],
    ])
      expect(await gateway.post('/v1/runs', { route, approvers, messages })).toMatchObject({
        status: 400,
        body: { code: 'SVC-REQ-001' },
      });
  });
});

describe('a group', () => {
  it('of the configuration may decide and read, and no one else', async () => {
    const run_id = await paused('finance');
    for (const stranger of ['bob', 'erin']) {
      expect(await decide(gateway, run_id, 'approved', stranger)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
      expect(await gateway.get(`/v1/runs/${run_id}/pending`, stranger)).toMatchObject({ status: 403 });
    }
    expect(await pending(run_id, 'carol')).toMatchObject({ run_id });
    expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject({ body: { status: 'completed' } });
    expect((await gateway.get(`/v1/runs/${run_id}/response`, 'carol')).status).toBe(200);
    expect((await gateway.get(`/v1/runs/${run_id}/response`, 'erin')).status).toBe(403);
  });

  it('may be named by a body if it exists', async () => {
    const run_id = await paused('default', { approvers: ['group/finance', 'bob'] });
    expect(await decide(gateway, run_id, 'approved', 'erin')).toMatchObject({ status: 403 });
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ body: { status: 'completed' } });
    const messages = [{ role: 'user', content: 'wire transfer' }];
    expect(await gateway.post('/v1/runs', { approvers: ['group/none'], messages })).toMatchObject({ status: 400 });
  });
});
