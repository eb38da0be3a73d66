import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { RunChanges } from '../harness/run-changes.ts';
import { until } from '../harness/until.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { keep_alive_ms: 1000 },
      approvals: { max_paused_per_principal: 1000 },
      routes: {
        bobs: { ...route, approvers: ['bob'] },
        two: { ...route, approvals: 2 },
        others: { ...route, self_approval: false },
      },
    }),
    principals: [
      { principal_id: 'alice', roles: ['call', 'admin'] },
      { principal_id: 'bob', roles: ['call', 'approve'] },
      { principal_id: 'carol', roles: ['approve'] },
      { principal_id: 'erin', roles: ['approve'], routes: ['two'] },
      { principal_id: 'audrey', roles: ['audit'] },
      { principal_id: 'dave', roles: ['call'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const listen = (principal: string) => RunChanges.connect(gateway.url, bearer(gateway.key(principal)));
const pause = async (model: string, principal = 'alice'): Promise<string> =>
  (await gateway.chat('wire transfer of a secret sum', { model, principal })).body.svc_run_id;
const decide = (run_id: string, body: object, principal: string) => gateway.post(`/v1/runs/${run_id}/resume`, body, principal);
const listed = async (run_id: string, principal: string) =>
  (await gateway.get('/v1/audit?status=paused', principal)).body.runs.find((run: { run_id: string }) => run.run_id === run_id);

it('says what happens to a paused run: it waits, is approved, is edited, is decided', async () => {
  const bobs = await listen('bob');
  expect(bobs.response.headers.get('content-type')).toContain('text/event-stream');
  const run_id = await pause('two');
  expect(await bobs.of(run_id)).toMatchObject({
    change: 'waiting',
    run: { status: 'paused', principal_id: 'alice', route: 'two' },
  });
  const { body: pending } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
  await decide(run_id, { decision: 'approved', reason: 'a secret reason' }, 'bob');
  const approved = await bobs.of(run_id);
  expect(approved).toMatchObject({ change: 'approved', run: { status: 'paused', cannot_approve: 'approved' } });
  expect(approved.run.events.at(-1)).toMatchObject({
    event_type: 'decision',
    data: { principal_id: 'bob', approvals: { given: 1, needed: 2 } },
  });
  const edits = [{ index: pending.texts[0].index, text: 'wire transfer of less' }];
  await decide(run_id, { decision: 'approved', digest: pending.digest, edits }, 'carol');
  // The approval of bob was for other content.
  const edited = await bobs.of(run_id);
  expect([edited.change, edited.run.cannot_approve]).toEqual(['edited', undefined]);
  await decide(run_id, { decision: 'denied' }, 'bob');
  const denied = await bobs.of(run_id);
  expect(denied).toMatchObject({ change: 'decided', run: { status: 'denied' } });
  expect(denied.run.events.find(({ event_type, data }) => event_type === 'decision' && data.decision === 'denied')).toBeDefined();
  expect(JSON.stringify([approved, edited, denied])).not.toContain('secret');
  bobs.leave();
});

it('sends only what the list shows: by roles, routes and approvers', async () => {
  const [carols, erins, audreys] = await Promise.all(['carol', 'erin', 'audrey'].map(listen));
  const [own, other] = [await pause('bobs'), await pause('two')];
  for (const stream of [carols, audreys]) {
    expect(await stream?.change()).toMatchObject({ run: { run_id: expect.any(String) } });
  }
  expect(await erins?.change()).toMatchObject({ run: { run_id: other } });
  for (const stream of [carols, erins, audreys]) stream?.leave();
  expect(await listed(own, 'carol')).toMatchObject({ principal_id: '', events: [], cannot_approve: 'approvers' });
  expect(await listed(own, 'audrey')).toMatchObject({ principal_id: 'alice', cannot_approve: 'role' });
  expect((await listed(other, 'carol')).cannot_approve).toBeUndefined();
});

it('says why a caller cannot approve its own request, in the list and in the refusal', async () => {
  const run_id = await pause('others', 'bob');
  expect(await listed(run_id, 'bob')).toMatchObject({ cannot_approve: 'own_request' });
  expect((await listed(run_id, 'carol')).cannot_approve).toBeUndefined();
  const { status, body } = await decide(run_id, { decision: 'approved' }, 'bob');
  expect([status, body.code]).toEqual([403, 'SVC-AUTH-003']);
  expect(body.detail).toContain('self-approval');
});

it('is for approvers and auditors, with a limited number of streams per principal', async () => {
  expect((await gateway.get('/v1/runs/events', 'dave')).body.code).toBe('SVC-AUTH-002');
  expect((await gateway.get('/v1/runs/events', null)).body.code).toBe('SVC-AUTH-001');
  const streams = await Promise.all(Array.from({ length: 32 }, () => listen('erin')));
  expect((await gateway.get('/v1/runs/events', 'erin')).body.code).toBe('SVC-LIMIT-003');
  for (const stream of streams) stream.leave();
  await until(async () => {
    const stream = await listen('erin');
    stream.leave();
    return stream.response.status === 200;
  });
});

it('keeps an idle stream alive, and ends it once its key is revoked', async () => {
  const { body: key } = await gateway.post('/v1/keys', { principal_id: 'frank', roles: ['approve'] });
  const franks = await RunChanges.connect(gateway.url, bearer(key.key));
  expect(await franks.comment()).toBe(': keep-alive');
  expect(await franks.comment()).toBe(': keep-alive');
  await gateway.request('DELETE', `/v1/keys/${key.id}`);
  expect(await franks.change()).toBeNull();
});
