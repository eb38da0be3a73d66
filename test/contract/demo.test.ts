import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

const LIMIT = 30;

async function start(server: object = {}, args: readonly string[] = ['--demo']): Promise<TestGateway> {
  const gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { ...server } }), args });
  onTestFinished(() => gateway.dispose());
  return gateway;
}

const body = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };
const ask = (gateway: TestGateway, from: string, principal = 'alice'): Promise<Answer> =>
  gateway.request('POST', '/v1/chat/completions', { body, principal, headers: { 'x-forwarded-for': from } });

async function useUp(gateway: TestGateway, from = '', principal = 'alice'): Promise<void> {
  const answers = await Promise.all(Array.from({ length: LIMIT }, () => ask(gateway, from, principal)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: LIMIT }, () => 200));
}

const left = ({ headers }: Answer): (number | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) =>
    headers.get(name) === null ? null : Number(headers.get(name)),
  );

describe('--demo', () => {
  it('reports the quota in every answer that uses it, and then refuses with 429 and Retry-After', async () => {
    const gateway = await start();
    const first = await gateway.chat('hello');
    expect(left(first)).toEqual([LIMIT, LIMIT - 1, expect.any(Number), null]);
    const second = await gateway.chat('hello', { stream: true });
    expect(left(second)).toEqual([LIMIT, LIMIT - 2, expect.any(Number), null]);
    for (let n = 3; n <= LIMIT; n += 1) expect((await gateway.chat('hello')).status).toBe(200);
    const refused = await gateway.chat('hello');
    expect(refused).toMatchObject({ status: 429, body: { code: 'SVC-RATE-001', error: { type: 'rate_limit_error' } } });
    const [, remaining, reset, retry] = left(refused);
    expect(remaining).toBe(0);
    expect(retry).toBe(reset);
    expect(retry).toBeGreaterThan(0);
    expect(retry).toBeLessThanOrEqual(60);
    expect((await gateway.ledger()).filter(({ record_type }) => record_type === 'run_evidence')).toHaveLength(LIMIT);
  });

  it('one quota covers model calls and writes; reading is free', async () => {
    const gateway = await start();
    const paused = (await gateway.chat('a wire transfer')).body.svc_run_id;
    await gateway.post('/v1/runs', { messages: body.messages });
    await gateway.post('/v1/rag/query', {});
    await gateway.post('/v1/rag/index', {});
    await gateway.post('/v1/rag/delete', {});
    const run_id = (await gateway.chat('hello')).headers.get('x-svc-run-id');
    await gateway.request('DELETE', `/v1/runs/${run_id}/content`);
    const resumed = await gateway.post(`/v1/runs/${paused}/resume`, { decision: 'approved' });
    expect(left(resumed)).toEqual([LIMIT, LIMIT - 8, expect.any(Number), null]);
    for (let n = 9; n <= LIMIT; n += 1) await gateway.chat('hello');
    for (const path of ['/v1/runs', `/v1/runs/${paused}/resume`, '/v1/rag/index', '/v1/rag/query', '/v1/rag/delete'])
      expect(await gateway.request('POST', path, { body: '{ not json' })).toMatchObject({ status: 429 });
    for (const path of ['/v1/models', '/v1/audit', '/v1/health', `/v1/runs/${paused}`]) {
      const { status, headers } = await gateway.get(path);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-limit')).toBeNull();
    }
  });

  it('requests without a key use no quota', async () => {
    const gateway = await start();
    const refused = await gateway.request('POST', '/v1/chat/completions', { body, principal: null });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('ratelimit-limit')).toBeNull();
  });

  it('each principal has its own quota, whatever address it claims', async () => {
    const gateway = await start();
    await useUp(gateway);
    expect((await ask(gateway, '198.51.100.7')).status).toBe(429);
    expect((await ask(gateway, '', 'bob')).status).toBe(200);
  });

  it('behind a trusted proxy each address has its own quota, as seen by the proxy and not as claimed by the client', async () => {
    const gateway = await start({ trust_proxy: true });
    await useUp(gateway, '198.51.100.7');
    expect((await ask(gateway, '198.51.100.7')).status).toBe(429);
    expect((await ask(gateway, '203.0.113.9, 198.51.100.7')).status).toBe(429);
    expect((await ask(gateway, '198.51.100.8')).status).toBe(200);
  });

  it('an IPv6 network of /64 is one visitor', async () => {
    const gateway = await start({ trust_proxy: true });
    await useUp(gateway, '2001:db8:1:2::1');
    expect((await ask(gateway, '2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await ask(gateway, '2001:db8:1:3::1')).status).toBe(200);
  });

  it('without it there is no quota and no header', async () => {
    const gateway = await start({}, []);
    await useUp(gateway);
    const { status, headers } = await gateway.chat('hello');
    expect(status).toBe(200);
    expect(headers.get('ratelimit-limit')).toBeNull();
  });

  it('is refused with several processes', async () => {
    await expect(start({ workers: 2 }, ['--demo', '--runs-db', 'postgres://127.0.0.1:9/none'])).rejects.toThrow('one process');
  });
});
