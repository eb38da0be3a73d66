import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const policy = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
let gateway: TestGateway;
beforeAll(async () => {
  const routes = {
    patient: { ...policy, approval_wait_ms: 60_000 },
    steady: { ...policy, approval_wait_ms: 60_000 },
    hasty: { ...policy, approval_wait_ms: 1 },
    twice: { ...policy, approval_wait_ms: 60_000, pipeline: { ingress: ['policy'], egress: ['policy'] } },
  };
  const principals = [
    { principal_id: 'alice' },
    { principal_id: 'bob' },
    { principal_id: 'victim', roles: ['call'] },
    { principal_id: 'ada', roles: ['admin'] },
  ];
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes }), principals });
});
afterAll(() => gateway.dispose());

it('once approved, the chat gets its answer and its receipts', async () => {
  const chat = gateway.chat('a wire transfer from ACC-1', { model: 'patient' });
  const run_id = await decideOnNext(gateway, 'patient', 'approved');
  const { body, headers } = await chat;
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'echo: a wire transfer from <ACCOUNT>' } });
  expect(headers.get('x-svc-run-id')).toBe(run_id);
  expect(headers.get('x-svc-evidence')).toMatch(/^\d+ sha256:/);
});

it('the caller keeps waiting for a run that pauses again', async () => {
  const chat = gateway.chat('a wire transfer', { model: 'twice' });
  const first = await decideOnNext(gateway, 'twice', 'approved');
  expect(await decideOnNext(gateway, 'twice', 'approved')).toBe(first);
  expect((await chat).body.choices[0].finish_reason).toBe('stop');
});

it('when the wait is over the chat gets the pause, and the run stays paused', async () => {
  const { body } = await gateway.chat('a wire transfer', { model: 'hasty' });
  expect(body.choices[0].finish_reason).toBe('content_filter');
  expect((await gateway.get(`/v1/runs/${body.svc_run_id}`)).body.status).toBe('paused');
  const resumed = await gateway.post(`/v1/runs/${body.svc_run_id}/resume`, { decision: 'approved' }, 'bob');
  expect(resumed.body.status).toBe('completed');
});

it('the runs API does not wait', async () => {
  const { body } = await gateway.post('/v1/runs', { route: 'patient', messages: [{ role: 'user', content: 'a wire transfer' }] });
  expect(body.status).toBe('paused');
});

const set = (name: string, state: string) =>
  gateway.request('PUT', `/v1/operations/states/principal/${name}`, { principal: 'ada', body: { state } });

it.each([false, true])('a caller that is disabled stops waiting, but its run stays paused (stream: %s)', async (stream) => {
  const [chat, other] = ['victim', 'alice'].map((principal) =>
    gateway.chat('a wire transfer', { model: 'steady', principal, stream }),
  );
  const waiting = async () => (await gateway.get('/v1/audit?status=paused&route=steady')).body.runs;
  await until(async () => (await waiting()).length === 2);
  expect((await set('victim', 'disabled')).status).toBe(200);
  const ended = await chat;
  expect(ended?.text).toContain('SVC-OPS-002');
  if (!stream) expect(ended).toMatchObject({ status: 403, body: { code: 'SVC-OPS-002' } });
  expect(await waiting()).toHaveLength(2);
  expect((await set('victim', 'enabled')).status).toBe(200);
  for (const { run_id } of await waiting())
    expect((await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob')).body.status).toBe('completed');
  expect((await other)?.text).toContain('echo: a wire transfer');
});

it('a server that is stopping ends all waits', async () => {
  const chat = gateway.chat('a wire transfer', { model: 'patient' });
  for (let paused = 0; paused < 2; ) paused = (await gateway.get('/v1/audit?status=paused&route=patient')).body.runs.length;
  const stopped = gateway.stop();
  expect((await chat).body.choices[0].finish_reason).toBe('content_filter');
  expect(await stopped).toBe(0);
});
