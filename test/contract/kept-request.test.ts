import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const first = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy', 'mask'], egress: [] } };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes: { first } }) });
});
afterAll(() => gateway.dispose());

const KEEP = { 'x-svc-keep': 'request' };

async function ask(content: string, more: { model?: string; stream?: boolean; headers?: Record<string, string> } = {}) {
  const { model = 'default', stream = false, headers = KEEP } = more;
  const body = { model, stream, messages: [{ role: 'user', content }], temperature: 0.5 };
  const answer = await gateway.request('POST', '/v1/chat/completions', { body, headers });
  return answer.headers.get('x-svc-run-id') ?? '';
}
const sent = (run_id: string, principal = 'alice') => gateway.get(`/v1/runs/${run_id}/request`, principal);

describe('GET /v1/runs/{run_id}/request', () => {
  it.each([false, true])("returns the request sent to the model, with the guards' edits (stream: %s)", async (stream) => {
    const { status, body } = await sent(await ask('pay ACC-1', { stream }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', messages: [{ role: 'user', content: 'pay <ACCOUNT>' }] });
    expect(body.parameters).toEqual({ temperature: 0.5 });
  });

  it('returns nothing unless the request asked for it', async () => {
    expect((await sent(await ask('pay ACC-1', { headers: {} }))).body).toMatchObject({ messages: null, parameters: {} });
  });

  it('returns nothing if no model was called: a guard may have stopped the request before another masked it', async () => {
    const { body } = await sent(await ask('forbidden ACC-1', { model: 'first' }));
    expect(body).toMatchObject({ status: 'blocked', messages: null });
  });

  it('survives a pause, and gives 409 before the end', async () => {
    const run_id = await ask('wire transfer from ACC-1');
    expect(await sent(run_id)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-004' } });
    await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
    expect((await sent(run_id)).body.messages).toEqual([{ role: 'user', content: 'wire transfer from <ACCOUNT>' }]);
    const denied = await ask('wire transfer from ACC-1');
    await gateway.post(`/v1/runs/${denied}/resume`, { decision: 'denied' }, 'bob');
    expect((await sent(denied)).body).toMatchObject({ status: 'denied', messages: null });
  });

  it('is for the creator and the approvers of the run', async () => {
    expect(await sent(await ask('hello'), 'carol')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    expect((await sent('00000000-0000-7000-8000-000000000000')).status).toBe(404);
  });

  it('refuses to keep anything but the request', async () => {
    const body = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };
    const answer = await gateway.request('POST', '/v1/chat/completions', { body, headers: { 'x-svc-keep': 'everything' } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });
});

describe('GET /v1/routes', () => {
  it('shows which verdicts guards may return, when a stream is sent, and the principal of the key', async () => {
    const { body } = await gateway.get('/v1/routes', 'bob');
    expect(body.caller).toEqual({ principal_id: 'bob', roles: ['call', 'approve', 'audit', 'rag'] });
    const [route, first] = body.routes;
    // Its egress guard has a pattern without a bound.
    expect(route.streams).toBe('when-judged');
    expect(first.streams).toBe('as-it-comes');
    expect(route.pipeline.ingress).toMatchObject([
      { name: 'mask', verdicts: ['sanitize'] },
      { name: 'policy', verdicts: expect.arrayContaining(['block', 'require_approval']) },
    ]);
  });
});
