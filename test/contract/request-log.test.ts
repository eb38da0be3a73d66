import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  const config = echoConfig({
    server: { trust_proxy: true },
    providers: { up: { type: 'openai', base_url: upstream.url } },
    routes: { remote: { provider: 'up', model: 'm-1' } },
  });
  gateway = await TestGateway.start({ here: true, config });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

type Line = Record<string, unknown>;

const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** The line of the log for the first request with this status at this path. */
const lineOf = (method: string, path: string, status: number): Promise<Line> =>
  gateway.until((output) =>
    linesOf(output).find(
      (line) => line.event === 'request' && line.method === method && line.path === path && line.status === status,
    ),
  );

const messages = [{ role: 'user', content: 'hello' }];

it('a chat: the address, the route and its model', async () => {
  const { headers } = await gateway.chat('hello');
  expect(await lineOf('POST', '/v1/chat/completions', 200)).toMatchObject({
    address: '127.0.0.1',
    principal_id: 'alice',
    route: 'default',
    model: 'echo-1',
    run_id: headers.get('x-svc-run-id'),
  });
});

it('the session, the client and the digest of the user', async () => {
  await gateway.request('POST', '/v1/chat/completions', {
    body: { model: 'default', messages, user: 'ann@example.org' },
    headers: { 'x-svc-session': 'session-of-the-log', 'user-agent': 'some-agent/1.2' },
  });
  const line = await gateway.until((output) => linesOf(output).find(({ session }) => session === 'session-of-the-log'));
  expect(line).toMatchObject({ event: 'request', client: 'some-agent', user: expect.stringMatching(/^[^@]+$/) });
});

it('a run, and requests about it', async () => {
  const { run_id } = (await gateway.post('/v1/runs', { messages })).body;
  await gateway.get(`/v1/runs/${run_id}`);
  const about = { route: 'default', model: 'echo-1', run_id };
  expect(await lineOf('POST', '/v1/runs', 200)).toMatchObject(about);
  expect(await lineOf('GET', '/v1/runs/:run_id', 200)).toMatchObject(about);
});

it('the address that a trusted proxy saw; null if it is invalid', async () => {
  const ask = (forwarded: string, path: string) => gateway.request('GET', path, { headers: { 'x-forwarded-for': forwarded } });
  await ask('198.51.100.7, 192.0.2.9:4711', '/v1/models');
  expect(await lineOf('GET', '/v1/models', 200)).toMatchObject({ address: '192.0.2.9', route: null, model: null });
  await ask('ann@example.org', '/v1/routes');
  expect(await lineOf('GET', '/v1/routes', 200)).toMatchObject({ address: null });
  expect(gateway.output).not.toContain('ann@example.org');
});

it('the name of an unknown route is not logged, because it is text of the caller', async () => {
  await gateway.chat('hello', { model: 'of-nobody' });
  expect(await lineOf('POST', '/v1/chat/completions', 404)).toMatchObject({ route: null, model: null });
  expect(gateway.output).not.toContain('of-nobody');
});

describe('the outcome of the run', () => {
  /** The line of the log of an answer, by its own id. */
  const lineOfAnswer = ({ headers }: { headers: Headers }): Promise<Line> => lineOfId(headers.get('x-request-id'));
  const lineOfId = (id: string | null): Promise<Line> =>
    gateway.until((output) => linesOf(output).find(({ event, request_id }) => event === 'request' && request_id === id));

  const chat = (content: string, more: JsonObject = {}) => ({ messages: [{ role: 'user', content }], ...more });
  const DOORS: readonly [path: string, body: (content: string) => JsonObject][] = [
    ['/v1/chat/completions', (content) => chat(content, { model: 'default' })],
    ['/v1/messages', (content) => chat(content, { model: 'default', max_tokens: 100 })],
    ['/v1/responses', (content) => ({ model: 'default', input: content })],
  ];
  const WORDS: readonly [content: string, outcome: string][] = [
    ['hello', 'completed'],
    ['forbidden', 'blocked'],
    ['a wire transfer', 'paused'],
  ];

  it.each(DOORS)('through %s', async (path, body) => {
    for (const [content, outcome] of WORDS) {
      for (const stream of [false, true]) {
        const answer = await gateway.post(path, { ...body(content), stream });
        expect(await lineOfAnswer(answer)).toMatchObject({ path, outcome, run_id: answer.headers.get('x-svc-run-id') });
      }
    }
  });

  it.each([false, true])('that failed (streamed: %s)', async (stream) => {
    upstream.respond(failure(400));
    const answer = await gateway.chat('hello', { model: 'remote', stream });
    expect(await lineOfAnswer(answer)).toMatchObject({ outcome: 'error' });
  });

  it('of the created run, and of a decided one', async () => {
    expect(await lineOfAnswer(await gateway.post('/v1/runs', chat('hello', { background: true })))).toMatchObject({
      outcome: 'pending',
    });
    const paused = await gateway.post('/v1/runs', chat('a wire transfer'));
    expect(await lineOfAnswer(paused)).toMatchObject({ outcome: 'paused' });
    const { run_id } = paused.body;
    const resume = () => gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'denied' }, 'bob');
    expect(await lineOfAnswer(await resume())).toMatchObject({ status: 200, outcome: 'denied' });
    expect(await lineOfAnswer(await resume())).toMatchObject({ status: 409, outcome: null });
  });

  it.each([false, true])('of a caller who disconnected before it had one (streamed: %s)', async (stream) => {
    const caller = new AbortController();
    const body = JSON.stringify(chat('hello', { model: 'remote', stream }));
    const headers = { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' };
    const before = gateway.output.length;
    upstream.respond(stalled());
    const left = fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', body, headers, signal: caller.signal }).catch(
      () => null,
    );
    await upstream.received(upstream.requests.length + 1);
    caller.abort();
    await left;
    const line = await gateway.until((output) => linesOf(output.slice(before)).find(({ event }) => event === 'request'));
    expect(line).toMatchObject({ route: 'remote', run_id: expect.any(String), status: null, outcome: 'error' });
  });

  it('is null without a run', async () => {
    expect(await lineOfAnswer(await gateway.get('/v1/models'))).toMatchObject({ outcome: null, run_id: null });
    expect(await lineOfAnswer(await gateway.chat('hello', { model: 'of-nobody' }))).toMatchObject({ outcome: null });
  });
});

it('scrapes and probes have no line at info', async () => {
  for (const path of ['/metrics', '/livez', '/readyz']) await gateway.get(path, null);
  const { headers } = await gateway.get('/v1/health');
  await gateway.until((output) => linesOf(output).find(({ request_id }) => request_id === headers.get('x-request-id')));
  const paths = linesOf(gateway.output).map(({ path }) => path);
  expect(paths.filter((path) => ['/metrics', '/livez', '/readyz'].includes(String(path)))).toEqual([]);
});
