import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held, liveStream, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';
import { decide, type Event, evidenceOf, ofType, statusOf } from './pausing-gateway.ts';

const STATES = '/v1/operations/states';
const HELLO = [{ role: 'user', content: 'hello' }];

let upstream: Upstream;
let gateway: TestGateway;
const config = () => {
  const asked = (model = 'm-1', more: JsonObject = {}): JsonObject => ({ provider: 'upstream', model, ...more });
  const guarded = { ingress: ['mask', 'policy'], egress: ['mask'] };
  return echoConfig({
    providers: {
      upstream: { type: 'openai', base_url: upstream.url, region: 'eu' },
      first: { type: 'openai', base_url: upstream.url, region: 'eu' },
    },
    packs: { kept: { type: 'rules', required: true, rules: [{ name: 'kept', words: ['kept'], verdict: 'block' }] } },
    routes: {
      live: asked(),
      stopped: asked(),
      reading: asked('m-1', { pipeline: guarded }),
      with_fallback: { provider: 'first', model: 'm-1', fallbacks: [{ provider: 'local', model: 'echo-1' }] },
      without_fallback: { provider: 'first', model: 'm-1' },
      guarded: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'kept'], egress: ['mask'] } },
      'team/a': asked(),
    },
  });
};
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: config(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'victim' },
      { principal_id: 'ada', roles: ['admin'] },
      { principal_id: 'grace', roles: ['admin'] },
      { principal_id: 'limited', roles: ['admin'], routes: ['live'] },
    ],
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

function set(kind: string, name: string, state: string, more: JsonObject = {}, principal = 'ada'): Promise<Answer> {
  const path = `${STATES}/${kind}/${encodeURIComponent(name)}`;
  return gateway.request('PUT', path, { principal, body: { state, ...more } });
}

const listed = async (principal = 'ada'): Promise<JsonObject[]> => (await gateway.get(STATES, principal)).body.states;
const eventsOf = async (run_id: string): Promise<Event[]> => (await gateway.get(`/v1/runs/${run_id}`)).body.events;
const runId = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('x-svc-run-id') ?? '';

/** Every way in, as it refuses and as a run of it ends: path, body, and where the code stands beside `code`. */
const DOORS = [
  ['/v1/chat/completions', { messages: HELLO }],
  ['/v1/responses', { input: 'hello' }],
  ['/v1/messages', { messages: HELLO, max_tokens: 10 }],
] as const;

describe('a disabled route', () => {
  beforeAll(async () => {
    expect((await set('route', 'stopped', 'disabled', { reason: 'leaks names' })).status).toBe(200);
  });

  it.each([
    ...DOORS,
    ['/v1/messages/count_tokens', { messages: HELLO }],
    ['/v1/embeddings', { input: 'hello' }],
    ['/v1/runs', { route: 'stopped', messages: HELLO }],
    ['/v1/runs', { route: 'stopped', messages: HELLO, background: true }],
  ] as const)('accepts no new requests at %s', async (path, body) => {
    const model = path === '/v1/runs' ? {} : { model: 'stopped' };
    const refused = await gateway.post(path, { ...model, ...body });
    expect([refused.status, refused.body.code]).toEqual([503, 'SVC-OPS-001']);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.text).not.toContain('leaks names');
    if (path === '/v1/messages') expect(refused.body).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    if (path === '/v1/responses') expect(refused.body.error).toMatchObject({ code: 'SVC-OPS-001' });
  });

  it('refuses a stream with a status', async () => {
    const { status } = await readStream(gateway, 'hello', { model: 'stopped' });
    expect(status).toBe(503);
  });

  it('is not listed as a model, and is listed by its state', async () => {
    const { data } = (await gateway.get('/v1/models')).body;
    expect(data.map(({ id }: { id: string }) => id)).not.toContain('stopped');
    expect(data.map(({ id }: { id: string }) => id)).toContain('live');
    expect(await listed()).toContainEqual({
      kind: 'route',
      name: 'stopped',
      state: 'disabled',
      since: expect.stringMatching(/^\d{4}-/),
      by: 'ada',
      reason: 'leaks names',
      until: null,
      next_state: null,
      proposed: null,
    });
  });

  it('does not change if disabled again', async () => {
    const [before] = (await listed()).filter(({ name }) => name === 'stopped');
    const again = await set('route', 'stopped', 'disabled', { reason: 'another' }, 'grace');
    expect([again.status, again.body]).toEqual([200, before]);
  });

  it('survives a restart, which the log reports', async () => {
    await gateway.stop();
    await gateway.launch();
    await gateway.logged('state_in_force');
    expect((await gateway.chat('hello', { model: 'stopped' })).body.code).toBe('SVC-OPS-001');
  });

  it('works as before once it is enabled', async () => {
    expect((await set('route', 'stopped', 'enabled')).body).toMatchObject({ state: 'enabled', by: 'ada' });
    expect((await gateway.chat('hello', { model: 'stopped' })).status).toBe(200);
    expect((await listed()).map(({ name }) => name)).not.toContain('stopped');
  });
});

/** A stream under way: one piece of it has come. */
async function streaming(path: string, body: JsonObject, principal = 'alice') {
  const live = liveStream();
  upstream.respond(live.behaviour);
  const response = fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key(principal)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  await live.send(chunk({ role: 'assistant', content: 'a piece' }));
  const { headers, body: bytes } = await response;
  const reader = bytes?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  const rest = async (): Promise<string> => {
    let text = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
    return text;
  };
  return { run_id: headers.get('x-svc-run-id') ?? '', rest, live };
}

async function expectStopped(run_id: string, code: string): Promise<void> {
  expect(await statusOf(gateway, run_id)).toBe('error');
  const [stopped] = ofType(await eventsOf(run_id), 'stopped');
  expect(stopped?.data).toMatchObject({ code, operation: expect.any(Number) });
  expect(await evidenceOf(gateway, run_id)).toMatchObject([{ status: 'error' }]);
}

describe('runs in progress on a disabled route', () => {
  it.each([
    ['/v1/chat/completions', { messages: HELLO }, /"error":\{[^}]*"code":"SVC-OPS-001".*data: \[DONE\]\n\n$/s],
    ['/v1/responses', { input: 'hello' }, /event: (?:error|response\.failed)\ndata: [^\n]*SVC-OPS-001/],
    ['/v1/messages', { messages: HELLO, max_tokens: 10 }, /event: error\ndata: [^\n]*SVC-OPS-001/],
  ] as const)('ends a stream of %s with an error event', async (path, body, ending) => {
    const { run_id, rest } = await streaming(path, { model: 'live', ...body });
    await set('route', 'live', 'disabled');
    expect(await rest()).toMatch(ending);
    await expectStopped(run_id, 'route_disabled');
    await set('route', 'live', 'enabled');
  });

  it.each(DOORS)('ends a whole answer of %s with 503', async (path, body) => {
    const { behaviour, release } = held(answer());
    upstream.respond(behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const answering = gateway.post(path, { model: 'live', ...body });
    await asked;
    await set('route', 'live', 'disabled');
    const ended = await answering;
    expect([ended.status, ended.body.code]).toEqual([503, 'SVC-OPS-001']);
    await expectStopped(runId(ended), 'route_disabled');
    release();
    await set('route', 'live', 'enabled');
  });

  it('continues on another route', async () => {
    const { run_id, rest, live } = await streaming('/v1/chat/completions', { model: 'team/a', messages: HELLO });
    await set('route', 'live', 'disabled');
    await live.send(chunk({}, { finish_reason: 'stop' }));
    await live.end();
    expect(await rest()).not.toContain('SVC-OPS-001');
    expect(await statusOf(gateway, run_id)).toBe('completed');
    await set('route', 'live', 'enabled');
  });
});

const waiting = async (model: string, content = 'a wire transfer'): Promise<string> =>
  runId(await gateway.chat(content, { model }));

describe('a paused run', () => {
  it('of a disabled route stays paused: it cannot be approved, but it can be denied', async () => {
    const [first, second] = [await waiting('reading'), await waiting('reading', 'another wire transfer')];
    await set('route', 'reading', 'disabled');
    const refused = await decide(gateway, first, 'approved');
    expect([refused.status, refused.body.code, await statusOf(gateway, first)]).toEqual([503, 'SVC-OPS-001', 'paused']);
    expect((await decide(gateway, second, 'denied')).body.status).toBe('denied');
    await set('route', 'reading', 'enabled');
    expect((await decide(gateway, first, 'approved')).body.status).toBe('completed');
  });

  it('of a read-only route can be decided, and runs in progress end normally', async () => {
    const [paused, { run_id, rest, live }] = [
      await waiting('reading'),
      await streaming('/v1/chat/completions', { model: 'live', messages: HELLO }),
    ];
    for (const name of ['reading', 'live']) await set('route', name, 'read_only');
    const refused = await gateway.chat('hello', { model: 'reading' });
    expect([refused.status, refused.body.code]).toEqual([503, 'SVC-OPS-001']);
    expect((await decide(gateway, paused, 'approved')).body.status).toBe('completed');
    await live.send(chunk({}, { finish_reason: 'stop' }));
    await live.end();
    await rest();
    expect(await statusOf(gateway, run_id)).toBe('completed');
    const { data } = (await gateway.get('/v1/models')).body;
    expect(data.map(({ id }: { id: string }) => id)).toContain('reading');
    const counted = await gateway.post('/v1/messages/count_tokens', { model: 'reading', messages: HELLO });
    expect(counted.status).toBe(200);
    for (const name of ['reading', 'live']) await set('route', name, 'enabled');
  });
});

describe('a disabled provider', () => {
  beforeAll(async () => void (await set('provider', 'first', 'disabled')));
  afterAll(async () => void (await set('provider', 'first', 'enabled')));

  it('is skipped while another is available', async () => {
    const before = upstream.requests.length;
    const { status, headers } = await gateway.chat('hello', { model: 'with_fallback' });
    expect([status, upstream.requests.length]).toEqual([200, before]);
    const calls = ofType(await eventsOf(runId({ headers })), 'provider_call');
    expect(calls.map(({ node, data }) => [node, data.outcome])).toEqual([
      ['first', 'skipped'],
      ['local', 'answered'],
    ]);
  });

  it('causes 503 if no other is available', async () => {
    const ended = await gateway.chat('hello', { model: 'without_fallback' });
    expect([ended.status, ended.body.code]).toEqual([503, 'SVC-OPS-001']);
    expect(ofType(await eventsOf(runId(ended)), 'error')).toMatchObject([{ data: { code: 'SVC-OPS-001' } }]);
  });

  it('ends its calls in progress, and nothing else', async () => {
    const [ended, other] = [
      await streaming('/v1/chat/completions', { model: 'live', messages: HELLO }),
      await (async () => {
        await set('provider', 'first', 'enabled');
        return streaming('/v1/chat/completions', { model: 'without_fallback', messages: HELLO });
      })(),
    ];
    await set('provider', 'upstream', 'disabled');
    expect(await ended.rest()).toMatch(/SVC-OPS-001.*\[DONE\]/s);
    await expectStopped(ended.run_id, 'provider_disabled');
    await other.live.send(chunk({}, { finish_reason: 'stop' }));
    await other.live.end();
    await other.rest();
    expect(await statusOf(gateway, other.run_id)).toBe('completed');
    await set('provider', 'upstream', 'enabled');
  });
});

describe('a disabled guard', () => {
  it('is not called in either stage, and the evidence says so', async () => {
    expect((await set('guard', 'mask', 'disabled', { reason: 'masks too much' })).status).toBe(200);
    const operation = (await gateway.get('/v1/audit/operations')).body.records.at(-1).seq;
    const whole = await gateway.chat('ACC-1', { model: 'guarded' });
    expect(whole.body.choices[0].message.content).toBe('echo: ACC-1');
    const { frames, run_id } = await readStream(gateway, 'ACC-1', { model: 'guarded' });
    expect(JSON.stringify(frames)).toContain('ACC-1');
    for (const id of [runId(whole), run_id]) {
      const skipped = ofType(await eventsOf(id), 'skipped');
      expect(skipped.map(({ stage, node }) => `${stage} ${node}`)).toEqual(['ingress mask', 'egress mask']);
      const data = { operation, package: '@svc/guard-rules', version: expect.stringMatching(/^\d/) };
      for (const event of skipped) expect(event.data).toEqual(data);
      const judged = ofType(await eventsOf(id), 'verdict').map(({ node }) => node);
      expect(judged).toEqual(['kept']);
      const [record] = await evidenceOf(gateway, id);
      expect(ofType(record?.events as unknown as Event[], 'skipped')).toHaveLength(2);
    }
    expect((await set('guard', 'mask', 'enabled')).status).toBe(200);
    const after = await gateway.chat('ACC-1', { model: 'guarded' });
    expect(after.body.choices[0].message.content).toBe('echo: <ACCOUNT>');
  });

  it('needs a reason', async () => {
    const { status, body } = await set('guard', 'mask', 'disabled');
    expect([status, body.code]).toEqual([400, 'SVC-REQ-001']);
  });

  it('that the configuration requires cannot be disabled', async () => {
    const { status, body } = await set('guard', 'kept', 'disabled', { reason: 'in the way' });
    expect([status, body.code]).toEqual([409, 'SVC-OPS-003']);
  });
});

describe('a disabled principal', () => {
  it('gets no more answers, and its runs in progress end', async () => {
    const { run_id, rest } = await streaming('/v1/chat/completions', { model: 'live', messages: HELLO }, 'victim');
    await set('principal', 'victim', 'disabled');
    expect(await rest()).toMatch(/SVC-OPS-002.*\[DONE\]/s);
    await expectStopped(run_id, 'principal_disabled');
    for (const [method, path] of [
      ['GET', '/v1/models'],
      ['GET', '/v1/health'],
      ['GET', `/v1/runs/${run_id}`],
      ['GET', '/v1/nothing'],
      ['GET', '/showcase'],
      ['POST', '/v1/chat/completions'],
      ['POST', '/v1/rag/query'],
    ] as const) {
      const { status, body } = await gateway.request(method, path, { principal: 'victim' });
      expect([path, status, body?.code]).toEqual([path, 403, 'SVC-OPS-002']);
    }
    expect((await gateway.get('/v1/models')).status).toBe(200);
    await set('principal', 'victim', 'enabled');
    expect((await gateway.get('/v1/models', 'victim')).status).toBe(200);
  });

  it('cannot be the operator itself', async () => {
    const { status, body } = await set('principal', 'ada', 'disabled');
    expect([status, body.code]).toEqual([409, 'SVC-OPS-003']);
  });
});

describe('who may change what', () => {
  it.each(['alice', 'bob'])('%s has no role admin', async (principal) => {
    const answers = [await set('route', 'live', 'disabled', {}, principal), await gateway.get(STATES, principal)];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'SVC-AUTH-002'],
      [403, 'SVC-AUTH-002'],
    ]);
  });

  it('a key limited to some routes changes those, and sees no others', async () => {
    expect((await set('route', 'live', 'read_only', {}, 'limited')).status).toBe(200);
    await set('route', 'team/a', 'read_only');
    expect((await listed('limited')).map(({ name }) => name)).toEqual(['live']);
    expect((await set('route', 'team/a', 'enabled', {}, 'limited')).status).toBe(403);
    expect((await set('provider', 'local', 'disabled', {}, 'limited')).status).toBe(403);
    for (const name of ['live', 'team/a']) expect((await set('route', name, 'enabled')).status).toBe(200);
  });

  it.each([
    ['route', 'stoped', 'stopped'],
    ['provider', 'locale', 'local'],
    ['guard', 'polcy', 'policy'],
    ['principal', 'vitcim', 'victim'],
  ])('an unknown %s is 404 and names the nearest', async (kind, name, nearest) => {
    const { status, body } = await set(kind, name, 'disabled', { reason: 'r' });
    expect([status, body.code]).toEqual([404, 'SVC-OPS-004']);
    expect(body.detail).toContain(nearest);
  });

  it.each([
    ['planet', 'mars', { state: 'disabled' }],
    ['provider', 'local', { state: 'read_only' }],
    ['route', 'live', { state: 'frozen' }],
    ['route', 'live', {}],
    ['route', 'live', { state: 'disabled', until: 'tomorrow' }],
    ['route', 'live', { state: 'disabled', reason: 'r'.repeat(501) }],
  ])('%s %s with %j is 400', async (kind, name, body) => {
    const answered = await gateway.request('PUT', `${STATES}/${kind}/${name}`, { principal: 'ada', body });
    expect([answered.status, answered.body.code]).toEqual([400, 'SVC-REQ-001']);
    expect(await listed()).toEqual([]);
  });
});
