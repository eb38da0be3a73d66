import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, embeddings, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const pipeline = { ingress: ['policy'], egress: [] };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url, api_key: 'none' } },
      routes: { model: { provider: 'upstream', model: 'm', pipeline }, narrow: { provider: 'local', model: 'echo-1', pipeline } },
      limits: [
        { principal: 'few', requests_per_minute: 1 },
        // A minute's refill apart, so that a slow machine lets nothing more in.
        ...['doors', ...DOORS.map(([path]) => nameOf(path))].map((principal) => ({ principal, requests_per_minute: 1 })),
        { principal: 'tokens', tokens_per_minute: 50 },
        { principal: 'background', tokens_per_minute: 50 },
        { principal: 'one', concurrent: 1 },
        { team: '*', requests_per_minute: 1 },
        { key: '*', requests_per_minute: 1 },
        { route: 'narrow', requests_per_minute: 1 },
      ],
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'ada', roles: ['admin'] },
      ...['few', 'doors', 'tokens', 'background', 'one', ...DOORS.map(([path]) => nameOf(path))].map((principal_id) => ({
        principal_id,
      })),
      ...['red1', 'red2', 'blue1'].map((principal_id) => ({ principal_id, team: principal_id.slice(0, -1) })),
    ],
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** Of more tokens than the limits have. */
const LONG = 'word '.repeat(200);
const messages = [{ role: 'user', content: 'hello' }];
/** One request of each door. */
const DOORS: readonly [string, object][] = [
  ['/v1/chat/completions', { model: 'default', messages }],
  ['/v1/responses', { model: 'default', input: 'hello' }],
  ['/v1/messages', { model: 'default', max_tokens: 50, messages }],
  ['/v1/embeddings', { model: 'model', input: ['hello'] }],
  ['/v1/runs', { route: 'default', messages }],
];

/** Of a principal that asks there alone. */
const nameOf = (path: string): string => path.replaceAll('/', '.');

const left = ({ headers }: Answer, unit: 'requests' | 'tokens') =>
  ['limit', 'remaining', 'reset'].map((fact) => headers.get(`x-ratelimit-${fact}-${unit}`));

describe('limits of requests', () => {
  it('are one for all doors, told in each answer, and refused in the form of each', async () => {
    for (const [path, body] of DOORS) {
      if (path === '/v1/embeddings') upstream.respond(embeddings());
      const answered = await gateway.post(path, body, nameOf(path));
      expect([path, answered.status]).toEqual([path, 200]);
      const [limit, remaining, reset] = left(answered, 'requests');
      expect([limit, remaining]).toEqual(['1', '0']);
      expect(reset).toMatch(/^(\d+ms|(\d+m)?\d+(\.\d+)?s)$/);
    }
    await gateway.chat('hello', { principal: 'doors' });
    const runs = (await gateway.ledger()).length;
    for (const [path, body] of DOORS) {
      const refused = await gateway.post(path, body, 'doors');
      expect([path, refused.status, refused.body.code]).toEqual([path, 429, 'SVC-LIMIT-001']);
      expect(left(refused, 'requests')[1]).toBe('0');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      if (path === '/v1/messages') expect(refused.body).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
      else if (path !== '/v1/runs') expect(refused.body.error).toMatchObject({ type: 'rate_limit_error', code: 'SVC-LIMIT-001' });
    }
    expect(await gateway.ledger()).toHaveLength(runs);
  });

  it('are told in streams, and to official clients', async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('few'), maxRetries: 0 });
    const asked = { model: 'default', messages: [{ role: 'user' as const, content: 'hello' }] };
    const { response } = await client.chat.completions.create({ ...asked, stream: true }).withResponse();
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    await response.body?.cancel();
    await expect(client.chat.completions.create(asked)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  it('of a team are shared by its principals, and each team has its own', async () => {
    expect((await gateway.chat('hello', { principal: 'red1' })).status).toBe(200);
    expect((await gateway.chat('hello', { principal: 'red2' })).body.code).toBe('SVC-LIMIT-001');
    expect((await gateway.chat('hello', { principal: 'blue1' })).status).toBe(200);
  });

  it('of a route are shared by all callers, and of a key by nobody', async () => {
    expect((await gateway.chat('hello', { model: 'narrow' })).status).toBe(200);
    const made = await Promise.all(
      [1, 2].map(async () => (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body.key),
    );
    for (const key of made) {
      const headers = { authorization: `Bearer ${key}` };
      const ask = (model: string) =>
        gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body: { model, messages } });
      expect((await ask('narrow')).body.code).toBe('SVC-LIMIT-001');
      expect([(await ask('default')).status, (await ask('default')).status]).toEqual([200, 429]);
    }
  });

  it('are nobody else’s', async () => {
    const free = await gateway.chat('hello');
    expect(left(free, 'requests')).toEqual([null, null, null]);
  });
});

it('tokens are charged as the provider counted them', async () => {
  const first = await gateway.chat(LONG, { principal: 'tokens' });
  expect(first.status).toBe(200);
  expect(first.body.usage.total_tokens).toBeGreaterThan(50);
  expect(left(first, 'tokens').slice(0, 2)).toEqual(['50', '0']);
  const refused = await gateway.chat('hello', { principal: 'tokens' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-002' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('tokens of a run that nobody waits for are charged when it ends', async () => {
  const long = [{ role: 'user', content: LONG }];
  const { run_id } = (await gateway.post('/v1/runs', { messages: long, background: true }, 'background')).body;
  await until(async () => (await gateway.get(`/v1/runs/${run_id}`)).body.status === 'completed');
  expect((await gateway.chat('hello', { principal: 'background' })).body.code).toBe('SVC-LIMIT-002');
});

describe('requests at once', () => {
  it.each([false, true])('free their place when they have ended (stream: %s)', async (stream) => {
    const slow = held(answer('at last'));
    upstream.respond(slow.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const first = gateway.chat('hello', { principal: 'one', model: 'model', stream });
    await asked;
    expect(await gateway.chat('hello', { principal: 'one' })).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-003' } });
    slow.release();
    expect((await first).status).toBe(200);
    expect((await gateway.chat('hello', { principal: 'one' })).status).toBe(200);
  });

  it('free it when their caller has gone', async () => {
    upstream.respond(held(answer('never')).behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const leaving = new AbortController();
    const first = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key('one')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'model', messages }),
      signal: leaving.signal,
    }).catch(() => null);
    await asked;
    leaving.abort();
    await first;
    await until(async () => (await gateway.chat('hello', { principal: 'one' })).status === 200);
  });
});
