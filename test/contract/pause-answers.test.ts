import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { decide, ofType, PIPELINE, pausedRun, pausingConfig, statusOf } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const route = { provider: 'upstream', model: 'm-1', approvers: ['bob', 'carol'], pipeline: PIPELINE };
  const principals = ['alice', 'bob', 'carol', 'dave'].map((principal_id) => ({ principal_id }));
  gateway = await TestGateway.start({
    here: true,
    config: pausingConfig(upstream.url, { routes: { bounded: route } }),
    principals,
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const paused = (content: string, more: JsonObject = {}): Promise<string> => pausedRun(gateway, content, more);

describe('a decision with the digest of the content that was seen', () => {
  const resume = (run_id: string, digest: unknown, decision = 'approved') =>
    gateway.post(`/v1/runs/${run_id}/resume`, { decision, digest }, 'bob');
  const digestOf = async (run_id: string): Promise<string> => (await gateway.get(`/v1/runs/${run_id}/pending`)).body.digest;

  it.each(['approved', 'denied'])('is accepted while that content is pending: %s', async (decision) => {
    const run_id = await paused('wire');
    const digest = await digestOf(run_id);
    const { status, body } = await resume(run_id, digest, decision);
    expect(status).toBe(200);
    expect(ofType(body.events, 'decision')).toMatchObject([{ data: { decision, digest } }]);
  });

  it.each(['approved', 'denied'])('is refused with 409 SVC-RUN-002 once other content is pending: %s', async (decision) => {
    const run_id = await paused('wire offshore');
    const seen = await digestOf(run_id);
    expect((await resume(run_id, seen)).body.status).toBe('paused');
    expect(await resume(run_id, seen, decision)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    expect(await statusOf(gateway, run_id)).toBe('paused');
    expect((await resume(run_id, await digestOf(run_id))).body.status).toBe('completed');
  });

  it('is refused for an unknown or invalid digest', async () => {
    const run_id = await paused('wire');
    expect((await resume(run_id, `sha256:${'0'.repeat(64)}`)).status).toBe(409);
    expect((await resume(run_id, 1)).status).toBe(400);
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });
});

describe('/pending', () => {
  it('is for those who may decide', async () => {
    const run_id = await paused('wire', { route: 'bounded' });
    for (const stranger of ['alice', 'dave']) {
      expect(await gateway.get(`/v1/runs/${run_id}/pending`, stranger)).toMatchObject({
        status: 403,
        body: { code: 'SVC-AUTH-003' },
      });
    }
    for (const approver of ['bob', 'carol']) expect((await gateway.get(`/v1/runs/${run_id}/pending`, approver)).status).toBe(200);
  });

  it('is 404 for an unknown run, and 409 for a run that is not paused', async () => {
    expect(await gateway.get('/v1/runs/none/pending')).toMatchObject({ status: 404, body: { code: 'SVC-RUN-001' } });
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] });
    expect(await gateway.get(`/v1/runs/${body.run_id}/pending`)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
  });
});

describe('/response', () => {
  const response = (run_id: string, principal = 'alice') => gateway.get(`/v1/runs/${run_id}/response`, principal);

  it('is 409 until the run has ended, then has the approved answer for its creator and its approvers', async () => {
    const run_id = await paused('wire', { route: 'bounded' });
    expect(await response(run_id)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-004' } });
    await decide(gateway, run_id, 'approved');
    for (const principal of ['alice', 'bob', 'carol']) {
      expect((await response(run_id, principal)).body).toEqual({
        run_id,
        status: 'completed',
        response: 'upstream: wire',
        protocol: 'openai.chat',
        completion: expect.objectContaining({ object: 'chat.completion', model: 'bounded' }),
        reason: null,
      });
    }
    expect(await response(run_id, 'dave')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
  });

  it('refuses a stranger before revealing whether the run has ended', async () => {
    const run_id = await paused('wire', { route: 'bounded' });
    expect(await response(run_id, 'dave')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    expect(await response('none', 'dave')).toMatchObject({ status: 404, body: { code: 'SVC-RUN-001' } });
  });

  it('has the answer of a chat that was approved', async () => {
    const { body } = await gateway.chat('wire');
    await decide(gateway, body.svc_run_id, 'approved');
    expect((await response(body.svc_run_id)).body).toMatchObject({ status: 'completed', response: 'upstream: wire' });
  });

  it('has the answer of a run in the background', async () => {
    const asked = { messages: [{ role: 'user', content: 'hello' }], background: true };
    const { run_id } = (await gateway.post('/v1/runs', asked)).body;
    await until(async () => (await statusOf(gateway, run_id)) === 'completed');
    expect((await response(run_id)).body).toMatchObject({ status: 'completed', response: 'upstream: hello' });
  });

  it.each([
    ['a run that nobody had to wait for', 'hello', 'completed'],
    ['a denied run', 'a wire', 'denied'],
  ])('of %s has no answer', async (_what, content, status) => {
    const { run_id } = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content }] })).body;
    if (status === 'denied') await decide(gateway, run_id, 'denied');
    const nothing = { response: '', protocol: 'openai.chat', completion: null, reason: null };
    expect((await response(run_id)).body).toEqual({ run_id, status, ...nothing });
  });
});
