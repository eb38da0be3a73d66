import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const policy = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
let gateway: TestGateway;
beforeAll(async () => {
  const routes = {
    patient: { ...policy, approval_wait_ms: 60_000 },
    hasty: { ...policy, approval_wait_ms: 1 },
    twice: { ...policy, approval_wait_ms: 60_000, pipeline: { ingress: ['policy'], egress: ['policy'] } },
  };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes }) });
});
afterAll(() => gateway.dispose());

it('approved, the chat gets its answer and its receipts', async () => {
  const chat = gateway.chat('a wire transfer from ACC-1', { model: 'patient' });
  const run_id = await decideOnNext(gateway, 'patient', 'approved');
  const { body, headers } = await chat;
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'echo: a wire transfer from <ACCOUNT>' } });
  expect(headers.get('x-svc-run-id')).toBe(run_id);
  expect(headers.get('x-svc-evidence')).toMatch(/^\d+ sha256:/);
});

it('a run that pauses again is waited for on', async () => {
  const chat = gateway.chat('a wire transfer', { model: 'twice' });
  const first = await decideOnNext(gateway, 'twice', 'approved');
  expect(await decideOnNext(gateway, 'twice', 'approved')).toBe(first);
  expect((await chat).body.choices[0].finish_reason).toBe('stop');
});

it('when the time is over the chat gets the pause, and the run still waits', async () => {
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

it('a server that stops lets nobody wait', async () => {
  const chat = gateway.chat('a wire transfer', { model: 'patient' });
  for (let paused = 0; paused < 2; ) paused = (await gateway.get('/v1/audit?status=paused&route=patient')).body.runs.length;
  const stopped = gateway.stop();
  expect((await chat).body.choices[0].finish_reason).toBe('content_filter');
  expect(await stopped).toBe(0);
});
