import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { type Event, evidenceOf, ofType, pausedRun } from './pausing-gateway.ts';

const WHY = 'Ada Lovelace never ordered this';
const REASON = { decision: 'denied', reason: WHY };

let gateway: TestGateway;
beforeAll(async () => {
  const route = (more: object) => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: [] },
    ...more,
  });
  gateway = await TestGateway.start({
    config: echoConfig({
      approvals: { reuse_for: '10m' },
      routes: {
        waits: route({ approval_wait_ms: 60_000 }),
        errors: route({ approval_wait_ms: 60_000, stops: 'error' }),
        strict: route({ approval_reason: 'required' }),
        two: route({ approvals: 2 }),
      },
    }),
  });
});
afterAll(() => gateway.dispose());

const resume = (run_id: string, body: object, principal = 'bob') => gateway.post(`/v1/runs/${run_id}/resume`, body, principal);
const decisionsOn = async (run_id: string, principal = 'alice') => gateway.get(`/v1/runs/${run_id}/decisions`, principal);

it.each([
  ['chat/completions', 'waits', { messages: [{ role: 'user', content: 'a wire transfer' }] }],
  ['chat/completions', 'errors', { messages: [{ role: 'user', content: 'a wire transfer' }] }],
  ['responses', 'waits', { input: 'a wire transfer' }],
  ['responses', 'errors', { input: 'a wire transfer' }],
  ['messages', 'waits', { max_tokens: 9, messages: [{ role: 'user', content: 'a wire transfer' }] }],
  ['messages', 'errors', { max_tokens: 9, messages: [{ role: 'user', content: 'a wire transfer' }] }],
])('the caller of /v1/%s on the route %s gets the reason of a denial, streamed or not', async (path, model, body) => {
  for (const stream of [false, true]) {
    // Without the repetition of a denied request, which is denied at once.
    const asked = JSON.parse(JSON.stringify({ model, ...body, stream }).replace('a wire', `${path} ${model} ${stream} wire`));
    const [{ text }] = await Promise.all([
      gateway.post(`/v1/${path}`, asked),
      decideOnNext(gateway, model, 'denied', 'bob', WHY),
    ]);
    expect(text.replaceAll('\\"', '"')).toContain(`Reason: "${WHY}".`);
  }
});

it('a repetition of a denied request is denied with the same reason', async () => {
  const ask = () => gateway.chat('another wire transfer', { model: 'waits' });
  const [first] = await Promise.all([ask(), decideOnNext(gateway, 'waits', 'denied', 'bob', WHY)]);
  const again = await ask();
  for (const { body } of [first, again]) expect(body.choices[0].message.content).toContain(`Reason: "${WHY}".`);
  expect(again.body.svc_run_id).not.toBe(first.body.svc_run_id);
  for (const { body } of [first, again])
    expect((await gateway.get(`/v1/runs/${body.svc_run_id}/response`)).body).toMatchObject({ status: 'denied', reason: WHY });
});

it('the creator and the approvers of a run can read its reason, others cannot', async () => {
  const run_id = await pausedRun(gateway, 'one wire transfer', { approvers: ['bob'] });
  await resume(run_id, REASON);
  for (const principal of ['alice', 'bob'])
    expect(await decisionsOn(run_id, principal)).toMatchObject({
      status: 200,
      body: { run_id, status: 'denied', decisions: [{ decision: 'denied', principal_id: 'bob', reason: WHY }] },
    });
  expect(await decisionsOn(run_id, 'carol')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
  expect((await gateway.get(`/v1/runs/${run_id}/response`)).body).toMatchObject({ status: 'denied', reason: WHY });
});

it('evidence, log and metrics contain only the digest of a reason', async () => {
  const run_id = await pausedRun(gateway, 'two wire transfer');
  await resume(run_id, REASON);
  const [record] = await evidenceOf(gateway, run_id);
  const [decision] = ofType(record?.events as unknown as Event[], 'decision');
  expect(decision?.data.reason_digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  const shown = [JSON.stringify(await gateway.ledger()), (await gateway.get('/metrics')).text, gateway.output];
  for (const text of shown) expect(text).not.toContain('Lovelace');
});

it('equal reasons have different digests', async () => {
  const digests = [];
  for (const text of ['three wire transfer', 'four wire transfer']) {
    const run_id = await pausedRun(gateway, text);
    const { body } = await resume(run_id, { decision: 'approved', reason: WHY });
    digests.push(ofType(body.events, 'decision')[0]?.data.reason_digest);
  }
  expect(new Set(digests).size).toBe(2);
});

it('is erased with the content of its run, and stays readable until then', async () => {
  const run_id = await pausedRun(gateway, 'five wire transfer');
  await resume(run_id, { decision: 'approved', reason: WHY });
  expect((await decisionsOn(run_id)).body.decisions).toMatchObject([{ reason: WHY }]);
  expect((await gateway.request('DELETE', `/v1/runs/${run_id}/content`, {})).status).toBe(200);
  expect((await decisionsOn(run_id)).body.decisions).toMatchObject([{ decision: 'approved', reason: null }]);
});

it('is erased with a run that still waits for another approval', async () => {
  const run_id = await pausedRun(gateway, 'seven wire transfer', { route: 'two' });
  expect((await resume(run_id, { decision: 'approved', reason: WHY })).body.status).toBe('paused');
  expect(await gateway.request('DELETE', `/v1/runs/${run_id}/content`, {})).toMatchObject({ body: { status: 'denied' } });
  expect((await decisionsOn(run_id)).body).toMatchObject({ status: 'denied', decisions: [{ reason: null }] });
});

it.each(['approved', 'denied'])('a route may require a reason, also of %s: then nothing changes without it', async (decision) => {
  const run_id = await pausedRun(gateway, `six wire transfer ${decision}`, { route: 'strict' });
  expect((await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).body.reason).toBe('required');
  for (const body of [{ decision }, { decision, reason: '' }, { decision, reason: ' ' }, { decision, reason: 'two\nlines' }])
    expect(await resume(run_id, body)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  expect((await gateway.get(`/v1/runs/${run_id}`)).body.events.map(({ event_type }: Event) => event_type)).not.toContain(
    'decision',
  );
  expect((await resume(run_id, { decision, reason: WHY })).status).toBe(200);
});
