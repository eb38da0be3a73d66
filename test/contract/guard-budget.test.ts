import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, RunEvent } from '@svc/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  broken,
  completionOf,
  failure,
  held,
  liveStream,
  stalled,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type StartOptions, TestGateway } from '../harness/gateway.ts';
import { readStream, StreamReader } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';
import { until } from '../harness/until.ts';

const limit = (unit: string, amount: number, more: JsonObject = {}): JsonObject => ({
  scope: 'principal',
  unit,
  amount,
  // So that no test meets the end of one.
  period: 'month',
  ...more,
});
const budget = (limits: JsonObject[], more: JsonObject = {}): JsonObject => ({ type: 'budget', limits, ...more });
const route = (more: JsonObject = {}, packs: string[] = ['budget']): JsonObject => ({
  provider: 'local',
  model: 'echo-1',
  pipeline: { ingress: packs, egress: packs },
  ...more,
});

/** Only a process of its own can be killed. */
const KILLED = { here: false };

const open: TestGateway[] = [];
async function start(packs: JsonObject, routes: JsonObject, options: Partial<StartOptions> = {}): Promise<TestGateway> {
  const gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ packs, routes, providers: upstreams() }),
    ...options,
  });
  open.push(gateway);
  return gateway;
}
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.dispose();
});

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
const upstreams = (): JsonObject => ({
  first: { type: 'openai', base_url: upstream.url, timeout_ms: 5000 },
  nobody: { type: 'openai', base_url: 'http://127.0.0.1:1', timeout_ms: 5000 },
  hasty: { type: 'openai', base_url: upstream.url, timeout_ms: 200 },
});

const reasonOf = ({ body }: Answer): string => body.choices[0].finish_reason;
const textOf = ({ body }: Answer): string => body.choices[0].message.content;
/** An answer for which the provider counts so many tokens. */
const using = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0) =>
  answer({
    ...completionOf({}, 'fine'),
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens },
    },
  });
/** What the budget's block says is left. */
const leftOf = (blocked: Answer): string | undefined => /; ([\d.]+ \w+) (?:is|are) left until/.exec(textOf(blocked))?.[1];
/** Asks for so much that a budget can only refuse, and reads what is left. */
const left = async (gateway: TestGateway, model = 'default'): Promise<string | undefined> =>
  leftOf(await gateway.chat('hello', { model, max_tokens: 1_000_000 }));

describe('a budget of requests', () => {
  it('of 200 at once lets 100 through, and not one more', async () => {
    const gateway = await start({ budget: budget([limit('requests', 100, { scope: 'global' })]) }, { default: route() });
    const principals = ['alice', 'bob', 'carol'];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        i % 4 === 0
          ? gateway.post('/v1/runs', { messages: [{ role: 'user', content: `${i}` }] }, principals[i % 3])
          : gateway.chat(`${i}`, { principal: principals[i % 3] ?? 'alice', stream: i % 2 === 0 }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 200));
    const evidence = (await gateway.ledger()).filter(({ record_type }) => record_type === 'run_evidence');
    expect(evidence.filter(({ status }) => status === 'completed')).toHaveLength(100);
    expect(evidence.filter(({ status }) => status === 'blocked')).toHaveLength(100);
    expect(answers.filter(({ text }) => text.includes('echo: '))).toHaveLength(100);
  });

  it('tells the blocked caller what is left, and when there is more', async () => {
    const gateway = await start({ budget: budget([limit('requests', 1, { period: 'month' })]) }, { default: route() });
    expect(reasonOf(await gateway.chat('one'))).toBe('stop');
    const blocked = await gateway.chat('two');
    expect(blocked.body).toMatchObject({ svc_run_id: expect.any(String), choices: [{ finish_reason: 'content_filter' }] });
    expect(leftOf(blocked)).toBe('0 requests');
    const now = new Date();
    const renews = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
    expect(blocked.body.svc_retry_at).toBe(renews);
    expect(textOf(blocked)).toContain(renews.slice(0, 10));
    expect(blocked.headers.get('x-svc-retry-at')).toBe(renews);
    const { frames } = await readStream(gateway, 'three', { model: 'default' });
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ svc_event: 'blocked', svc_retry_at: renews });
    // Its sentence is the caller's alone.
    const { events } = (await gateway.get(`/v1/runs/${blocked.body.svc_run_id}`)).body;
    expect(JSON.stringify(events)).not.toContain('left');
    expect(events).toContainEqual(
      expect.objectContaining({
        event_type: 'verdict',
        node: 'budget',
        data: expect.objectContaining({ verdict: 'block', code: 'over-principal-requests-month', retry_at: Date.parse(renews) }),
      }),
    );
    expect(reasonOf(await gateway.chat('hello', { principal: 'bob' }))).toBe('stop');
  });

  it('tells it to the caller of a run as well, once', async () => {
    const gateway = await start({ budget: budget([limit('requests', 1, { period: 'month' })]) }, { default: route() });
    const ask = (): Promise<Answer> => gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'one' }] });
    expect((await ask()).headers.has('x-svc-retry-at')).toBe(false);
    const { body, headers } = await ask();
    expect(Object.keys(body).sort()).toEqual(['events', 'principal_id', 'response', 'run_id', 'status']);
    expect(body).toMatchObject({ status: 'blocked', response: '' });
    const now = new Date();
    const renews = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect(headers.get('x-svc-retry-at')).toBe(new Date(renews).toISOString());
    const told = body.events.flatMap(({ data }: RunEvent) => data.hint ?? []);
    expect(told).toEqual([{ text: expect.stringContaining('0 requests are left'), retry_at: renews }]);
    const stored = [
      await gateway.get(`/v1/runs/${body.run_id}`),
      await gateway.get('/v1/audit'),
      await gateway.get('/v1/audit/ledger'),
    ];
    for (const { text } of stored) {
      expect(text).toContain(`"retry_at":${renews}`);
      expect(text).not.toContain('are left');
    }
  });

  it('is remembered over a restart and over a crash', async () => {
    const gateway = await start({ budget: budget([limit('requests', 3)]) }, { default: route() }, KILLED);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      expect(reasonOf(await gateway.chat('hello'))).toBe('stop');
      await gateway.stop(signal);
      await gateway.launch();
    }
    expect(leftOf(await gateway.chat('hello'))).toBe('0 requests');
  });

  it('counts a run that a later guard blocks, and not one that it blocks itself', async () => {
    const gateway = await start({ budget: budget([limit('requests', 2)]) }, { default: route({}, ['budget', 'policy']) });
    expect(textOf(await gateway.chat('a forbidden thing'))).toContain('"policy"');
    expect(reasonOf(await gateway.chat('hello'))).toBe('stop');
    for (let i = 0; i < 3; i++) expect(leftOf(await gateway.chat('hello'))).toBe('0 requests');
  });
});

describe('a budget of tokens', () => {
  const spending = (more: JsonObject = {}, options: Partial<StartOptions> = {}) =>
    start(
      { budget: budget([limit('tokens', 10_000)]) },
      { default: route({ provider: 'first', model: 'm-1', ...more }) },
      options,
    );

  it('books what the provider says was used, whole and streamed', async () => {
    const gateway = await spending();
    upstream.respond(using(100, 50));
    await gateway.chat('hello');
    expect(await left(gateway)).toBe('9850 tokens');
    upstream.respond(using(100, 50));
    const { frames } = await readStream(gateway, 'hello', { model: 'default' });
    expect(frames.length).toBeGreaterThan(1);
    expect(await left(gateway)).toBe('9700 tokens');
  });

  it('books nothing for a call that the provider refused', async () => {
    const gateway = await spending();
    upstream.respond(failure(503));
    expect((await gateway.chat('hello')).status).toBe(502);
    expect(await left(gateway)).toBe('10000 tokens');
  });

  it('keeps the reservation of a call that nobody knows the cost of', async () => {
    const gateway = await spending({ provider: 'hasty' });
    upstream.respond(stalled());
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(504);
    // 500 and what the word may come to: 3 for its 5 bytes and 8.
    expect(await left(gateway)).toBe('9489 tokens');
  });

  it.each([
    ['before its answer', broken()],
    ['within its answer', broken('{"id":"x","choi')],
  ])('keeps the reservation of a call whose connection broke %s', async (_where, behaviour) => {
    const gateway = await spending();
    upstream.respond(behaviour);
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(502);
    expect(await left(gateway)).toBe('9489 tokens');
  });

  it('books nothing for a call that did not reach its provider', async () => {
    const gateway = await spending({ provider: 'nobody' });
    expect((await gateway.chat('hello')).status).toBe(502);
    expect(await left(gateway)).toBe('10000 tokens');
  });

  it('counts an answer itself where its provider counts none for it', async () => {
    const gateway = await spending();
    upstream.respond(using(0, 0));
    const { headers } = await gateway.chat('hello');
    const { events } = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    const { usage } = events.find(({ event_type }: { event_type: string }) => event_type === 'provider_call').data;
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(await left(gateway)).toBe(`${10_000 - usage.input_tokens - usage.output_tokens} tokens`);
  });

  it('keeps the reservation of an approved run that the gateway died over, and says that its cost is not known', async () => {
    const config = echoConfig({
      providers: upstreams(),
      packs: {
        budget: budget([limit('tokens', 10_000)]),
        policy: { type: 'rules', rules: [{ name: 'ask', match: 'wait', verdict: 'require_approval' }] },
      },
      routes: { default: route({ provider: 'first', model: 'm-1' }, ['budget', 'policy']) },
    });
    const gateway = await TestGateway.start({ config });
    open.push(gateway);
    const { run_id } = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'wait' }] })).body;
    upstream.respond(stalled());
    const asked = upstream.received(upstream.requests.length + 1);
    const deciding = gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob').catch(() => undefined);
    await asked;
    await gateway.stop('SIGKILL');
    await deciding;
    await gateway.launch();
    expect(await left(gateway)).toBe(`${10_000 - 4096 - 10} tokens`);
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'interrupted', data: { spend: 'unknown' } }));
  });

  it('keeps the reservation of a call that was given up beside what its fallback cost', async () => {
    const gateway = await spending({ provider: 'hasty', fallbacks: [{ provider: 'first', model: 'm-1' }] });
    upstream.respond(stalled(), using(100, 50));
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(200);
    expect(await left(gateway)).toBe('9339 tokens');
  });

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
    ['in the background', null],
  ])('keeps the reservation of a run that the gateway died over: %s', async (_, chat) => {
    const gateway = await spending({}, KILLED);
    upstream.respond(stalled());
    const asked = upstream.received(upstream.requests.length + 1);
    const messages = [{ role: 'user', content: 'hello' }];
    const answered =
      chat === null
        ? gateway.post('/v1/runs', { messages, background: true })
        : gateway.chat('hello', { max_tokens: 4096, ...chat }).catch(() => undefined);
    await asked;
    await gateway.stop('SIGKILL');
    await answered;
    await gateway.launch();
    expect(await left(gateway)).toBe(`${10_000 - 4096 - 11} tokens`);
  });

  it('books what had come of a stream that its caller left', async () => {
    const gateway = await spending();
    const live = liveStream();
    upstream.respond(live.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const reading = StreamReader.ask(gateway, 'hello', { model: 'default' });
    await live.send(chunk({ content: 'one two three four' }));
    const reader = await reading;
    await reader.next();
    reader.leave();
    await (await asked).disconnected;
    const run_id = reader.response.headers.get('x-svc-run-id');
    await until(async () => (await gateway.get(`/v1/runs/${run_id}`)).body.status !== 'running');
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    const used = events.find(({ event_type }: JsonObject) => event_type === 'provider_call').data.usage;
    expect(used.output_tokens).toBeGreaterThan(0);
    expect(await left(gateway)).toBe(`${10_000 - used.input_tokens - used.output_tokens} tokens`);
  });

  it('holds what is under way, and gives back what was too much', async () => {
    const gateway = await spending();
    const gate = held(using(100, 50));
    upstream.respond(gate.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const under_way = gateway.chat('hello', { max_tokens: 9000 });
    await asked;
    expect(await left(gateway)).toBe('989 tokens');
    gate.release();
    expect((await under_way).status).toBe(200);
    expect(await left(gateway)).toBe('9850 tokens');
  });
});

describe('a budget of USD', () => {
  const prices = { cheap: { input: 1, output: 2 }, dear: { input: 100, output: 200, cached_input: 10 } };

  it('books each attempt at the price of its own model', async () => {
    const gateway = await start(
      { budget: budget([limit('usd', 1)], { prices }) },
      { default: route({ provider: 'first', model: 'dear', fallbacks: [{ provider: 'first', model: 'cheap' }] }) },
    );
    upstream.respond(using(100, 10, 40));
    await gateway.chat('hello');
    // 60 x 100 + 40 x 10 + 10 x 200 micro-dollars.
    expect(await left(gateway)).toBe('0.9916 USD');
    upstream.respond(failure(503), using(100, 10));
    expect((await gateway.chat('hello')).status).toBe(200);
    expect(await left(gateway)).toBe('0.99148 USD');
  });

  it('needs a price for every model that a route may call', async () => {
    const fallbacks = [{ provider: 'local', model: 'unpriced' }];
    const gateway = await start(
      { budget: budget([limit('usd', 1)], { prices: { 'echo-1': { input: 1, output: 1 } } }) },
      { default: route() },
    );
    await gateway.stop();
    await gateway.configure({
      ...echoConfig({
        packs: { budget: budget([limit('usd', 1)], { prices: { 'echo-1': { input: 1, output: 1 } } }) },
        routes: { default: route({ fallbacks }) },
      }),
    });
    await expect(gateway.launch()).rejects.toThrow(/SVC-POL-010 routes\.default\.fallbacks\.0\.model: budget: .*unpriced/);
  });
});

describe('a paused run', () => {
  const paused = async (gateway: TestGateway) => (await gateway.chat('a wire transfer')).body.svc_run_id;
  const starting = () =>
    start(
      { budget: budget([limit('requests', 2)]) },
      { default: route({ pipeline: { ingress: ['budget', 'policy'], egress: ['budget'] } }) },
    );

  it.each(['approved', 'denied'] as const)('keeps its reservation, once, over a restart until it is %s', async (decision) => {
    const gateway = await starting();
    const run_id = await paused(gateway);
    await gateway.stop();
    await gateway.launch();
    expect(reasonOf(await gateway.chat('hello'))).toBe('stop');
    expect(leftOf(await gateway.chat('hello'))).toBe('0 requests');
    const decided = await gateway.post(`/v1/runs/${run_id}/resume`, { decision }, 'bob');
    expect(decided.body.status).toBe(decision === 'approved' ? 'completed' : 'denied');
    expect(leftOf(await gateway.chat('hello'))).toBe('0 requests');
  });
});

describe('while it only observes', () => {
  it('lets everything through, books it, and says what it would have blocked', async () => {
    const gateway = await start(
      { budget: budget([limit('requests', 1), limit('tokens', 1_000_000)], { mode: 'observe' }) },
      { default: route() },
    );
    await gateway.chat('one');
    const second = await gateway.chat('two');
    expect(reasonOf(second)).toBe('stop');
    const { events } = (await gateway.get(`/v1/runs/${second.headers.get('x-svc-run-id')}`)).body;
    expect(events).toContainEqual(
      expect.objectContaining({
        event_type: 'observed',
        stage: 'ingress',
        node: 'budget',
        data: expect.objectContaining({ verdict: 'block', code: 'over-principal-requests-month' }),
      }),
    );
    const metrics = (await gateway.get('/metrics', null)).text;
    expect(metrics).toMatch(/svc_verdicts_total\{node="budget",stage="ingress",verdict="block",observed="true"\} 1\n/);
    // Then it is enforced: what was spent meanwhile counts.
    await gateway.stop();
    const config = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
    config.packs.budget.mode = 'enforce';
    await gateway.configure(config);
    await gateway.launch();
    expect(leftOf(await gateway.chat('three'))).toBe('0 requests');
  });
});

describe('the configuration', () => {
  it.each([
    ['ingress', { ingress: ['budget'], egress: [] }],
    ['egress', { ingress: [], egress: ['budget'] }],
  ])('is refused with a budget in %s alone', async (_, pipeline) => {
    const refused = start({ budget: budget([limit('requests', 1)]) }, { default: route({ pipeline }) });
    await expect(refused).rejects.toThrow('SVC-POL-003');
  });
});
