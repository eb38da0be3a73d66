import { HttpStatusError, SvcClient } from '@svc/client';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const bounded = { provider: 'local', model: 'echo-1', approvers: ['bob'], pipeline: { ingress: ['policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ routes: { bounded } }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'carol' },
      { principal_id: 'caller', roles: ['call'] },
      { principal_id: 'bounded-only', routes: ['bounded'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const UNKNOWN_RUN = '/v1/runs/018f0000-0000-7000-8000-000000000000';
const messages = (content: string): JsonObject[] => [{ role: 'user', content }];
const pausedRun = async (route: string): Promise<string> =>
  (await gateway.post('/v1/runs', { route, messages: messages('a wire transfer') })).body.run_id;
const endedRun = async (route: string): Promise<string> =>
  (await gateway.post('/v1/runs', { route, messages: messages('hello') })).body.run_id;

function expectError({ status, body, headers }: Answer, expected: readonly [status: number, code: string]): void {
  expect([status, body.code]).toEqual(expected);
  expect(body.detail).toMatch(/^SVC-[A-Z]+-\d{3}: \S/);
  expect(body.detail.startsWith(`${body.code}: `)).toBe(true);
  expect(headers.get('content-type')).toContain('application/json');
}

describe('7 Errors: body shape', () => {
  const elsewhere = [
    ['POST', '/v1/runs', { route: 'nope', messages: [{ role: 'user', content: 'x' }] }, [404, 'SVC-ROUTE-001']],
    ['POST', '/v1/runs', {}, [400, 'SVC-REQ-001']],
    ['GET', UNKNOWN_RUN, undefined, [404, 'SVC-RUN-001']],
    ['POST', `${UNKNOWN_RUN}/resume`, { decision: 'approved' }, [404, 'SVC-RUN-001']],
    ['POST', `${UNKNOWN_RUN}/resume`, { decision: 'denied' }, [404, 'SVC-RUN-001']],
    ['GET', `${UNKNOWN_RUN}/pending`, undefined, [404, 'SVC-RUN-001']],
    ['GET', `${UNKNOWN_RUN}/response`, undefined, [404, 'SVC-RUN-001']],
    ['GET', '/v1/audit?since=never', undefined, [400, 'SVC-REQ-001']],
    ['GET', '/v1/audit/ledger?since_seq=-1', undefined, [400, 'SVC-REQ-001']],
    ['POST', '/v1/rag/index', {}, [503, 'SVC-RAG-001']],
  ] as const;

  it.each(elsewhere)('%s %s answers {code, detail} and nothing else', async (method, path, body, expected) => {
    const answer = await gateway.request(method, path, { body });
    expectError(answer, expected);
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'detail']);
  });

  const chatCompatible = [
    [
      'POST',
      '/v1/chat/completions',
      { model: 'nope', messages: [] },
      'alice',
      [404, 'SVC-ROUTE-001'],
      'not_found_error',
      'model',
    ],
    ['POST', '/v1/chat/completions', { model: 'default' }, 'alice', [400, 'SVC-REQ-001'], 'invalid_request_error', 'messages'],
    ['POST', '/v1/chat/completions', '{', 'alice', [400, 'SVC-REQ-001'], 'invalid_request_error', null],
    ['POST', '/v1/chat/completions', {}, null, [401, 'SVC-AUTH-001'], 'authentication_error', null],
    ['POST', '/v1/chat/completions', { model: 'default' }, 'bounded-only', [403, 'SVC-AUTH-002'], 'permission_error', null],
    ['GET', '/v1/models', undefined, null, [401, 'SVC-AUTH-001'], 'authentication_error', null],
    ['GET', '/v1/nothing', undefined, 'alice', [404, 'SVC-REQ-003'], 'not_found_error', null],
    ['GET', '/v1/health', undefined, null, [401, 'SVC-AUTH-001'], 'authentication_error', null],
  ] as const;

  it.each(chatCompatible)(
    '%s %s (chat-compatible) carries OpenAI error object too: %j',
    async (method, path, body, principal, expected, type, param) => {
      const answer = await gateway.request(method, path, { body, principal });
      expectError(answer, expected);
      const { code, detail, error, ...rest } = answer.body;
      expect(error).toEqual({ message: detail, type, code, param });
      expect(rest).toEqual({});
    },
  );
});

describe('7 Errors: table', () => {
  it.each([
    ['missing', {}],
    ['unknown', { authorization: `Bearer svc-${'a'.repeat(64)}` }],
  ])('a %s credential is SVC-AUTH-001, with status 401', async (_what, headers: Record<string, string>) => {
    const answer = await gateway.request('GET', '/v1/health', { principal: null, headers });
    expectError(answer, [401, 'SVC-AUTH-001']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('resume by a caller who is not an approver is 403 SVC-AUTH-003, and the run stays paused', async () => {
    const run_id = await pausedRun('bounded');
    const answer = await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'carol');
    expectError(answer, [403, 'SVC-AUTH-003']);
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.status).toBe('paused');
  });

  it.each([
    ['completed', 'hello'],
    ['blocked', 'forbidden'],
  ])('resume of a run that is %s is 409, and changes nothing', async (status, content) => {
    const { run_id } = (await gateway.post('/v1/runs', { messages: messages(content) })).body;
    const before = await gateway.get(`/v1/runs/${run_id}`);
    const answer = await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' });
    expectError(answer, [409, 'SVC-RUN-002']);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect((await gateway.get(`/v1/runs/${run_id}`)).body).toEqual({ ...before.body, status });
  });

  it.each(['approved', 'denied'])('resume of a run that was %s already is 409', async (decision) => {
    const run_id = await pausedRun('default');
    await gateway.post(`/v1/runs/${run_id}/resume`, { decision }, 'bob');
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, { decision }, 'bob'), [409, 'SVC-RUN-002']);
  });

  it('of two concurrent resumes one wins, and the other gets 409', async () => {
    const run_id = await pausedRun('default');
    const decide = (decision: string) => gateway.post(`/v1/runs/${run_id}/resume`, { decision }, 'bob');
    const answers = await Promise.all([decide('approved'), decide('denied')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([
    ['/v1/rag/index', { namespace: 'n', documents: [{ text: 'x', metadata: {} }] }],
    ['/v1/rag/query', { namespace: 'n', query: 'x', k: 1 }],
    ['/v1/rag/index', 'not JSON'],
    ['/v1/rag/query', undefined],
  ])('%s is 503 when RAG is not configured, before its body is looked at (%j)', async (path, body) => {
    expectError(await gateway.request('POST', path, { body }), [503, 'SVC-RAG-001']);
  });
});

describe('7 Errors: order of refusals on resume', () => {
  const bad = { decision: 'maybe' };
  const good = { decision: 'approved' };

  it('401 comes before 400, 404, 403 and 409', async () => {
    expectError(await gateway.post(`${UNKNOWN_RUN}/resume`, bad, null), [401, 'SVC-AUTH-001']);
    const run_id = await endedRun('bounded');
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, good, null), [401, 'SVC-AUTH-001']);
  });

  it('400 comes before 404', async () => {
    expectError(await gateway.post(`${UNKNOWN_RUN}/resume`, bad), [400, 'SVC-REQ-001']);
  });

  it('400 comes before 403 and 409', async () => {
    const run_id = await endedRun('bounded');
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, bad, 'carol'), [400, 'SVC-REQ-001']);
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, bad, 'caller'), [400, 'SVC-REQ-001']);
  });

  it('404 comes before 403: a key without the role approve learns that the run is unknown', async () => {
    expectError(await gateway.post(`${UNKNOWN_RUN}/resume`, good, 'caller'), [404, 'SVC-RUN-001']);
  });

  it('403 comes before 409: not an approver, run ended', async () => {
    const run_id = await endedRun('bounded');
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, good, 'carol'), [403, 'SVC-AUTH-003']);
  });

  it.each(['caller', 'bounded-only'])('403 comes before 409: the key of %s may not, and the run has ended', async (principal) => {
    const run_id = await endedRun('default');
    expectError(await gateway.post(`/v1/runs/${run_id}/resume`, good, principal), [403, 'SVC-AUTH-002']);
  });
});

describe('7 Errors: rules', () => {
  it('2. client-side HTTP errors raise an HTTP status exception', async () => {
    const client = new SvcClient({ base_url: gateway.url, key: gateway.key('alice') });
    const asked = client.runs.create({ route: 'nowhere', messages: [{ role: 'user', content: 'hello' }] });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ status: 404, code: 'SVC-ROUTE-001' });
  });
});
