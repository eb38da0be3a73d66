import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, completionOf, frames, held, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { until } from '../harness/until.ts';

const MAX = 100_000;
const TOO_LARGE = { status: 502, body: { code: 'SVC-PROV-001' } };
const BUSY = { status: 503, body: { code: 'SVC-BUSY-001', detail: expect.stringMatching(/^SVC-BUSY-001/) } };

let upstream: Upstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  await start();
});
afterEach(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function start(server: JsonObject = {}): Promise<void> {
  const open = { provider: 'upstream', model: 'm', pipeline: { ingress: [], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { body_limit_bytes: 80_000, max_bytes_in_flight: MAX, ...server },
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      routes: {
        open,
        default: { ...open, fallbacks: [{ provider: 'local', model: 'echo-1' }] },
        asks: { ...open, provider: 'local', pipeline: { ingress: ['policy'], egress: [] } },
      },
    }),
  });
}

async function metric(name: string): Promise<number> {
  const { text } = await gateway.get('/metrics', null);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const inFlight = (): Promise<number> => metric('svc_bytes_in_flight');

async function untilFree(): Promise<void> {
  await until(async () => (await inFlight()) === 0);
}

/** A request that an upstream keeps under work. */
async function underWork(characters: number) {
  const slow = held(answer('late'));
  upstream.respond(slow.behaviour);
  const count = upstream.requests.length + 1;
  const leaving = new AbortController();
  const asked = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'open', messages: [{ role: 'user', content: 'x'.repeat(characters) }] }),
    signal: leaving.signal,
  });
  asked.catch(() => undefined);
  await upstream.received(count);
  return { asked, leaving, release: slow.release };
}

/** A connection on which nothing but the head of a request was sent. */
async function head(...fields: string[]): Promise<{ socket: Socket; answered: () => Promise<string> }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const all = ['Host: x', `Authorization: Bearer ${gateway.key('alice')}`, 'Content-Type: application/json', ...fields];
  socket.write(['POST /v1/chat/completions HTTP/1.1', ...all, '', ''].join('\r\n'));
  const answered = async (): Promise<string> => {
    for (let text = ''; ; text += (await once(socket, 'data'))[0]) if (text.includes('\r\n\r\n')) return text;
  };
  return { socket, answered };
}

const chunk = (length: number): string => `${length.toString(16)}\r\n${' '.repeat(length)}\r\n`;

describe('requests', () => {
  it('above the limit get 503 with Retry-After before the body is read, and are admitted once there is room', async () => {
    const first = await underWork(60_000);
    expect(await inFlight()).toBeGreaterThan(60_000);
    const refused = await head('Content-Length: 60000');
    expect(await refused.answered()).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nretry-after: \d+\r\n[\s\S]*SVC-BUSY-001/);
    // The connection goes on: what the client sends all the same is dropped, and its next request is served.
    refused.socket.write(' '.repeat(60_000));
    refused.socket.end('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await refused.answered()).toMatch(/^HTTP\/1.1 401/);
    expect(await metric('svc_bytes_refused_total{what="request"}')).toBe(1);
    first.release();
    expect((await first.asked).status).toBe(200);
    await untilFree();
    expect((await gateway.chat('x'.repeat(60_000))).status).toBe(200);
  });

  it('a chunked body is counted as it arrives, and may be refused in the middle', async () => {
    const first = await underWork(60_000);
    const growing = await head('Transfer-Encoding: chunked');
    growing.socket.write(chunk(20_000));
    await until(async () => (await inFlight()) >= 80_000);
    growing.socket.write(chunk(30_000));
    expect(await growing.answered()).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nretry-after: \d+/);
    growing.socket.end(`${chunk(70_000)}0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await growing.answered()).toMatch(/^HTTP\/1.1 401/);
    first.release();
    await untilFree();
  });

  it('a chunked body over its own limit is still 413, and an admitted one is answered', async () => {
    const tooLarge = await head('Transfer-Encoding: chunked');
    tooLarge.socket.end(`${chunk(50_000)}${chunk(40_000)}0\r\n\r\n`);
    expect(await tooLarge.answered()).toMatch(/^HTTP\/1.1 413/);
    const body = JSON.stringify({ model: 'open', messages: [{ role: 'user', content: 'hello' }] });
    const fits = await head('Transfer-Encoding: chunked');
    fits.socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(await fits.answered()).toMatch(/^HTTP\/1.1 200/);
    await untilFree();
  });

  it('an incomplete body holds its received bytes until its connection closes', async () => {
    const stalled = await head('Content-Length: 80000');
    expect(await inFlight()).toBe(0);
    stalled.socket.write(' '.repeat(79_999));
    await until(async () => (await inFlight()) >= 79_999);
    stalled.socket.destroy();
    await untilFree();
  });

  it('a background run counts until it has ended, long after its response', async () => {
    const slow = held(answer('late'));
    upstream.respond(slow.behaviour);
    const messages = [{ role: 'user', content: 'x'.repeat(60_000) }];
    const { body } = await gateway.post('/v1/runs', { route: 'open', messages, background: true });
    expect(body.status).toBe('pending');
    await upstream.received(1);
    expect(await gateway.chat('x'.repeat(60_000))).toMatchObject(BUSY);
    slow.release();
    await untilFree();
  });

  it('health, metrics, audit and decisions are served at the bound', async () => {
    const { body: paused } = await gateway.post('/v1/runs', {
      route: 'asks',
      messages: [{ role: 'user', content: 'wire transfer' }],
    });
    expect(paused.status).toBe('paused');
    const held = [await underWork(79_000), await underWork(20_600)];
    expect(await inFlight()).toBeGreaterThan(MAX - 300);
    expect(await gateway.chat('hello')).toMatchObject(BUSY);
    for (const path of ['/v1/health', '/metrics', '/v1/audit', '/v1/audit/ledger', `/v1/runs/${paused.run_id}/pending`])
      expect((await gateway.get(path)).status).toBe(200);
    const resume = (body: JsonObject) => gateway.post(`/v1/runs/${paused.run_id}/resume`, body, 'bob');
    const edits = [{ index: 0, text: 'x'.repeat(20_000) }];
    expect(await resume({ decision: 'approved', digest: 'seen', edits })).toMatchObject(BUSY);
    const decided = await resume({ decision: 'approved' });
    expect(decided).toMatchObject({ status: 200, body: { status: 'completed' } });
    for (const { release } of held) release();
    await untilFree();
  });

  const list = (values: number): string => JSON.stringify(Array.from({ length: values }, () => 1));
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: list(900) } };
  it.each([
    ['in the body', { x: JSON.parse(list(900)) }, 'open'],
    ['in the arguments of tool calls', { messages: [{ role: 'assistant', content: null, tool_calls: [call] }] }, 'asks'],
  ])('many small values %s weigh more than their bytes', async (_name, fields, model) => {
    const first = await underWork(60_000);
    upstream.respond(answer('fine'));
    expect(await gateway.chat('hello', { model, ...fields })).toMatchObject(BUSY);
    first.release();
    expect((await first.asked).status).toBe(200);
    await untilFree();
    expect((await gateway.chat('hello', { model, ...fields })).status).toBe(200);
    await untilFree();
  });

  it('a decision larger than server.body_limit_bytes is refused as such', async () => {
    const large = { decision: 'approved', digest: 'x'.repeat(80_000) };
    expect(await gateway.post('/v1/runs/x/resume', large)).toMatchObject({ status: 413, body: { code: 'SVC-REQ-002' } });
  });
});

describe('answers', () => {
  const large = (characters: number) => raw(200, JSON_HEADERS, JSON.stringify(completionOf({}, 'x'.repeat(characters))));

  it('may use as much memory again', async () => {
    upstream.respond(large(MAX + 50_000));
    expect((await gateway.chat('hello', { model: 'open' })).status).toBe(200);
    await untilFree();
  });

  it('of many small values weigh more than their bytes', async () => {
    upstream.respond(
      raw(200, JSON_HEADERS, JSON.stringify({ ...completionOf({}, 'x'), x: Array.from({ length: 4_000 }, () => 1) })),
    );
    expect(await gateway.chat('hello', { model: 'open' })).toMatchObject(TOO_LARGE);
    await untilFree();
  });

  it('that alone exceed the limit get an error without `try again`', async () => {
    upstream.respond(large(2 * MAX));
    const refused = await gateway.chat('hello');
    expect(refused).toMatchObject({ ...TOO_LARGE, body: { detail: expect.stringContaining('server.max_bytes_in_flight') } });
    expect([refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([null, 'false']);
    await untilFree();
  });

  it('that exceed the limit together with others get 503 and are recorded, but never truncated; no fallback is tried', async () => {
    const other = await underWork(79_000);
    upstream.respond(large(MAX + 50_000));
    const refused = await gateway.chat('hello');
    expect(refused).toMatchObject(BUSY);
    expect(refused.body.detail).toContain('server.max_bytes_in_flight');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const { body } = await gateway.get(`/v1/runs/${refused.headers.get('x-svc-run-id')}`);
    expect(body.status).toBe('error');
    const calls = body.events.filter(({ event_type }: { event_type: string }) => event_type === 'provider_call');
    expect(calls).toMatchObject([{ data: { outcome: 'cut', provider: 'upstream' } }]);
    expect(await metric('svc_bytes_refused_total{what="answer"}')).toBe(1);
    other.release();
    await untilFree();
  });

  const pieces = (count: number) =>
    frames([
      ...Array.from({ length: count }, () => ({
        id: 'a',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content: 'x'.repeat(10_000) }, finish_reason: null }],
      })),
      {
        id: 'a',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      },
    ]);

  it('that are streamed count only the bytes held, however long they are', async () => {
    upstream.respond(pieces(100));
    expect(await readStream(gateway, 'hello', { model: 'open' })).toMatchObject({ status: 200, done: true });
    await untilFree();
  });

  it('that are also stored end with an error, not like a complete answer', async () => {
    await gateway.dispose();
    await start({ record_content: true });
    upstream.respond(pieces(100));
    const { frames: sent, run_id } = await readStream(gateway, 'hello', { model: 'open' });
    expect(sent.at(-1)).toMatchObject({ error: { code: 'SVC-PROV-001' } });
    const { body } = await gateway.get(`/v1/runs/${run_id}`);
    expect(body.status).toBe('error');
    await untilFree();
  });

  it('with one event that does not fit are abandoned', async () => {
    upstream.respond(frames([{ choices: [{ index: 0, delta: { content: 'x'.repeat(3 * MAX) }, finish_reason: null }] }]));
    expect(await gateway.chat('hello', { model: 'open', stream: true })).toMatchObject(TOO_LARGE);
    await untilFree();
  });
});
