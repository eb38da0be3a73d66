import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SvcClient } from './client.ts';
import type { ClientOptions } from './transport.ts';

const messages = [{ role: 'user', content: 'hello' }];
const CALLS: readonly (readonly [string, (client: SvcClient) => Promise<unknown>])[] = [
  ['chat', (client) => client.chat({ model: 'm', messages })],
  ['chatStream', (client) => client.chatStream({ model: 'm', messages })],
  ['create', (client) => client.runs.create({ messages })],
  ['resume', (client) => client.runs.resume('r', { decision: 'approved' })],
  ['health', (client) => client.health()],
];
const IDEMPOTENT = ['create', 'health'];

/** The error of `fetch` if the connection fails. */
const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const answered = (status: number, headers: Record<string, string> = {}) => new Response('{}', { status, headers });

/** A client of a server that performs these actions in order, and the requests that the server received. */
function scripted(steps: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const asked: Headers[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const step = steps[asked.length];
    asked.push(new Headers(init?.headers));
    if (step === undefined) throw new Error('nobody told what to answer');
    if (step instanceof Error) throw step;
    return step;
  };
  return { asked, client: new SvcClient({ base_url: 'http://gateway', fetch: fetch as typeof globalThis.fetch, ...options }) };
}

/** The outcome of a call, and the delays between its attempts, in milliseconds. */
async function watched(call: Promise<unknown>): Promise<{ result: PromiseSettledResult<unknown>; delays: number[] }> {
  const settled = Promise.allSettled([call]);
  let result: PromiseSettledResult<unknown> | undefined;
  settled.then(([one]) => {
    result = one;
  });
  const delays: number[] = [];
  for (;;) {
    await vi.advanceTimersByTimeAsync(0);
    if (result !== undefined) return { result, delays };
    const before = Date.now();
    await vi.advanceTimersToNextTimerAsync();
    delays.push(Date.now() - before);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each(CALLS.flatMap(([name, call]) => [408, 409, 429, 500, 503].map((status) => [name, status, call] as const)))(
  '%s is sent again after %i',
  async (_name, status, call) => {
    const { client, asked } = scripted([answered(status), answered(status), answered(200)]);
    const { result, delays } = await watched(call(client));
    expect([result.status, asked.length]).toEqual(['fulfilled', 3]);
    expect(delays[0]).toBeGreaterThanOrEqual(374);
    expect(delays[0]).toBeLessThanOrEqual(500);
    expect(delays[1]).toBeGreaterThanOrEqual(749);
    expect(delays[1]).toBeLessThanOrEqual(1000);
  },
);

it.each([400, 401, 403, 404, 410, 413, 422])('%i is final', async (status) => {
  const { client, asked } = scripted([answered(status)]);
  const { result } = await watched(client.health());
  expect(result).toMatchObject({ reason: { status } });
  expect(asked.length).toBe(1);
});

it.each([
  [503, 'false', 1],
  [400, 'true', 2],
])('%i with x-should-retry: %s is sent %i times', async (status, should_retry, times) => {
  const { client, asked } = scripted([answered(status, { 'x-should-retry': should_retry }), answered(200)]);
  await watched(client.health());
  expect(asked.length).toBe(times);
});

it.each(CALLS)('%s is repeated if it was never sent', async (_name, call) => {
  const { client, asked } = scripted([failed('ECONNREFUSED'), failed('ENOTFOUND'), answered(200)]);
  expect([(await watched(call(client))).result.status, asked.length]).toEqual(['fulfilled', 3]);
});

it.each(CALLS)('%s is repeated if it may have arrived and is idempotent', async (name, call) => {
  for (const error of [failed('ECONNRESET'), failed('UND_ERR_SOCKET'), new TypeError('Failed to fetch')]) {
    const { client, asked } = scripted([error, answered(200)]);
    const { result } = await watched(call(client));
    const again = IDEMPOTENT.includes(name);
    expect([result.status, asked.length]).toEqual(again ? ['fulfilled', 2] : ['rejected', 1]);
  }
});

it.each([
  ['a redirect', new TypeError('fetch failed', { cause: new Error('unexpected redirect') })],
  ['a certificate that is not valid', failed('CERT_HAS_EXPIRED')],
  ['an address that is none', failed('ERR_INVALID_URL')],
  ['anything else', new Error('of a fetch that was given')],
])('%s is not a broken connection', async (_name, error) => {
  const { client, asked } = scripted([error, answered(200)]);
  expect((await watched(client.health())).result).toMatchObject({ reason: error });
  expect(asked.length).toBe(1);
});

it('a header that cannot be sent is refused at once', async () => {
  const { client, asked } = scripted([], { headers: { 'no name': 'x' } });
  expect(await watched(client.health())).toMatchObject({ result: { reason: { name: 'TypeError' } }, delays: [] });
  expect(asked).toEqual([]);
});

it.each([
  [{}, {}, 3],
  [{ max_retries: 1 }, {}, 2],
  [{ max_retries: 5 }, { max_retries: 0 }, 1],
])('of a client %j a call %j gives up after %i attempts', async (options, call, times) => {
  const { client, asked } = scripted(Array(6).fill(answered(503)), options);
  const { result } = await watched(client.health(call));
  expect(result).toMatchObject({ reason: { name: 'HttpStatusError', status: 503 } });
  expect(asked.length).toBe(times);
});

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '7', 'retry-after-ms': '1500' }, 1500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:40 GMT' }, 40_000],
])('waits as long as %j says', async (headers, ms) => {
  vi.setSystemTime('2026-01-01T00:00:00Z');
  const { client } = scripted([answered(429, headers), answered(200)]);
  expect((await watched(client.health())).delays).toEqual([ms]);
});

it.each([{ 'retry-after': '61' }, { 'retry-after': '0' }, { 'retry-after': 'soon' }])(
  'waits its own time at %j',
  async (headers) => {
    const { client } = scripted([answered(429, headers), answered(200)]);
    expect((await watched(client.health())).delays[0]).toBeLessThanOrEqual(500);
  },
);

it('waits no longer than its timeout, or than its caller', async () => {
  const busy = () => answered(503, { 'retry-after': '50' });
  const { result, delays } = await watched(scripted([busy()], { timeout_ms: 10_000 }).client.health());
  expect([result, delays]).toMatchObject([{ reason: { name: 'TimeoutError' } }, [10_000]]);
  const left = new AbortController();
  const waiting = watched(scripted([busy()]).client.health({ signal: left.signal }));
  left.abort(new Error('enough'));
  expect((await waiting).result).toMatchObject({ reason: { message: 'enough' } });
});

it('a run has one key for all attempts, and each run its own', async () => {
  const { client, asked } = scripted([failed('ECONNRESET'), answered(200), answered(200)]);
  await watched(client.runs.create({ messages }));
  await watched(client.runs.create({ messages }));
  const [first, again, other] = asked.map((headers) => headers.get('idempotency-key'));
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

it("headers of a call replace the client's, whatever their case", async () => {
  const { client, asked } = scripted([answered(200)], { key: 'svc-00', headers: { 'x-team': 'a', 'x-svc-keep': 'nothing' } });
  await client.chat({ model: 'm', messages }, { headers: { 'X-Svc-Keep': 'request' } });
  const sent = ['authorization', 'x-team', 'x-svc-keep'].map((name) => asked[0]?.get(name));
  expect(sent).toEqual(['Bearer svc-00', 'a', 'request']);
});
