import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, embeddings, failure, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { ragConfig } from './rag-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const pipeline = { ingress: ['policy'], egress: [] };
  gateway = await TestGateway.start({
    here: true,
    config: ragConfig(
      {},
      {
        server: { record_content: true },
        providers: { upstream: { type: 'openai', base_url: upstream.url, api_key: 'none' } },
        routes: {
          model: { provider: 'upstream', model: 'm', pipeline },
          narrow: { provider: 'local', model: 'echo-1', pipeline },
        },
        limits: [
          { principal: 'few', requests_per_minute: 1 },
          // A minute's refill apart, so that a slow machine lets nothing more in.
          ...['doors', ...DOORS.map(([path]) => nameOf(path))].map((principal) => ({ principal, requests_per_minute: 1 })),
          { principal: 'tokens', tokens_per_minute: 50 },
          { principal: 'background', tokens_per_minute: 50 },
          ...OUTSIDE.map(([path]) => ({ principal: `tokens${nameOf(path)}`, tokens_per_minute: 50 })),
          { principal: 'one', concurrent: 1 },
          { principal: 'behind', concurrent: 2 },
          ...['held', 'leaver', 'embedder', 'free'].map((principal) => ({ principal, tokens_per_minute: 50 })),
          { principal: 'continuer', requests_per_minute: 2 },
          { team: '*', requests_per_minute: 1 },
          { key: '*', requests_per_minute: 1 },
          { route: 'narrow', requests_per_minute: 1 },
        ],
      },
    ),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'ada', roles: ['admin'] },
      ...['few', 'tokens', 'background', 'one', 'behind', 'held', 'leaver', 'embedder', 'free', 'continuer'].map(
        (principal_id) => ({
          principal_id,
        }),
      ),
      { principal_id: 'doors', roles: ['call', 'rag'] },
      ...DOORS.map(([path]) => ({ principal_id: nameOf(path), roles: ['call', 'rag'] })),
      ...OUTSIDE.map(([path]) => ({ principal_id: `tokens${nameOf(path)}`, roles: ['call', 'rag'] })),
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
  ['/v1/messages/count_tokens', { model: 'default', messages }],
  ['/v1/rag/index', { namespace: 'notes', documents: [{ text: 'hello' }] }],
  ['/v1/rag/query', { namespace: 'notes', query: 'hello' }],
];

/** Work that is no run, of more tokens than the limits have. */
const OUTSIDE: readonly [string, object][] = [
  ['/v1/messages/count_tokens', { model: 'default', messages: [{ role: 'user', content: LONG }] }],
  ['/v1/rag/index', { namespace: 'notes', documents: [{ text: LONG }] }],
  ['/v1/rag/query', { namespace: 'notes', query: LONG }],
];

/** Of a principal that asks there alone. */
const nameOf = (path: string): string => path.replaceAll('/', '.');

const left = ({ headers }: Answer, unit: 'requests' | 'tokens') =>
  ['limit', 'remaining', 'reset'].map((fact) => headers.get(`x-ratelimit-${fact}-${unit}`));

describe('limits of requests', () => {
  it("are shared by all APIs, reported in each answer, and refused in each API's form", async () => {
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
      if (path.startsWith('/v1/messages'))
        expect(refused.body).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
      else if (!/runs|rag/.test(path))
        expect(refused.body.error).toMatchObject({ type: 'rate_limit_error', code: 'SVC-LIMIT-001' });
    }
    expect(await gateway.ledger()).toHaveLength(runs);
  });

  it('are reported in streams, and to official clients', async () => {
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

  it('of a route are shared by all callers, and of a key are not shared', async () => {
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

  it('do not affect other principals', async () => {
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

it.each(OUTSIDE)('tokens of %s are charged, although it is not a run', async (path, body) => {
  const principal = `tokens${nameOf(path)}`;
  expect((await gateway.post(path, body, principal)).status).toBe(200);
  expect(await gateway.post(path, body, principal)).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-002' } });
});

it('a conversation that is continued is read within the limits', async () => {
  const ask = (more: object) => gateway.post('/v1/responses', { model: 'default', ...more }, 'continuer');
  const first = await ask({ input: LONG.repeat(4) });
  const second = await ask({ input: 'and?', previous_response_id: first.body.id });
  expect(second.status).toBe(200);
  // Whether there is such a response is not looked for.
  const third = await ask({ input: 'and?', previous_response_id: 'resp_unknown' });
  expect(third).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-001' } });
});

it('tokens of a background run are charged when it ends', async () => {
  const long = [{ role: 'user', content: LONG }];
  const { run_id } = (await gateway.post('/v1/runs', { messages: long, background: true }, 'background')).body;
  await until(async () => (await gateway.get(`/v1/runs/${run_id}`)).body.status === 'completed');
  expect((await gateway.chat('hello', { principal: 'background' })).body.code).toBe('SVC-LIMIT-002');
});

/** A request to the upstream double whose caller leaves when it is there. Resolves when its run has ended. */
async function leave(path: string, body: object, principal: string): Promise<void> {
  upstream.respond(held(answer('never')).behaviour);
  const asked = upstream.received(upstream.requests.length + 1);
  const leaving = new AbortController();
  const left = fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key(principal)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model', ...body }),
    signal: leaving.signal,
  }).catch(() => null);
  await asked;
  leaving.abort();
  await left;
  const ended = async () => (await gateway.get(`/v1/audit?status=error&principal=${principal}`)).body.runs;
  await until(async () => (await ended()).length > 0);
}

it.each([
  ['leaver', '/v1/chat/completions', { messages: [{ role: 'user', content: LONG }] }],
  ['embedder', '/v1/embeddings', { input: [LONG] }],
])(
  'tokens of a call are charged by the estimate if its caller disconnected before the count: %s',
  async (principal, path, body) => {
    await leave(path, body, principal);
    expect((await gateway.chat('hello', { principal })).body.code).toBe('SVC-LIMIT-002');
  },
);

it('tokens of a call that cost nothing are released', async () => {
  upstream.respond(failure(503));
  const failed = await gateway.chat(LONG, { principal: 'free', model: 'model' });
  expect([failed.status, left(failed, 'tokens')[1]]).toEqual([502, '0']);
  expect((await gateway.chat('hello', { principal: 'free' })).status).toBe(200);
});

describe('a run in the background', () => {
  const begin = (principal: string, content: string, key?: string): Promise<Answer> =>
    gateway.request('POST', '/v1/runs', {
      principal,
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      body: { route: 'model', messages: [{ role: 'user', content }], background: true },
    });

  it('counts until it has ended, and a repeated request does not count', async () => {
    const slow = held(answer('at last'));
    upstream.respond(slow.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const first = await begin('behind', 'hello', 'once');
    await asked;
    for (let again = 0; again < 3; again += 1) {
      const { status, body } = await begin('behind', 'hello', 'once');
      expect([status, body.run_id]).toEqual([200, first.body.run_id]);
    }
    const other = held(answer('at last'));
    upstream.respond(other.behaviour);
    const second = upstream.received(upstream.requests.length + 1);
    expect((await begin('behind', 'hello')).status).toBe(200);
    await second;
    expect(await begin('behind', 'hello')).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-003' } });
    for (const { release } of [slow, other]) release();
    await until(async () => (await begin('behind', 'hello')).status === 200);
  });

  it('no longer counts when it pauses', async () => {
    const ids = [];
    while (ids.length < 3) {
      const { status, body } = await begin('behind', 'a wire transfer');
      if (status === 200) ids.push(body.run_id);
    }
    for (const run_id of ids) await until(async () => (await gateway.get(`/v1/runs/${run_id}`)).body.status === 'paused');
    expect((await gateway.chat('hello', { principal: 'behind' })).status).toBe(200);
  });

  it('reserves the estimate of its prompt for that time', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const slow = held(answer({ ...completionOf({ model: 'm', messages }), usage }));
    upstream.respond(slow.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const first = await begin('held', LONG);
    expect([first.status, left(first, 'tokens')[1]]).toEqual([200, '0']);
    await asked;
    expect(await begin('held', 'hello')).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-002' } });
    slow.release();
    await until(async () => (await gateway.get(`/v1/runs/${first.body.run_id}`)).body.status === 'completed');
    const next = await gateway.chat('hello', { principal: 'held' });
    expect([next.status, Number(left(next, 'tokens')[1])]).toEqual([200, expect.closeTo(44, -1)]);
  });
});

describe('requests at once', () => {
  it.each([false, true])('release their place when they have ended (stream: %s)', async (stream) => {
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

  it('release it when their caller has disconnected', async () => {
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
