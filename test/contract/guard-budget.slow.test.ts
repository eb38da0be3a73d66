import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { failure } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { BudgetGateways, budget, KILLED, left, leftOf, limit, reasonOf, route, textOf, using } from './budget-gateways.ts';

const gateways = new BudgetGateways();
const { start } = gateways;

describe('a budget of requests', () => {
  it('admits exactly 100 of 200 concurrent requests', async () => {
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

  it('gives the blocked caller the remaining amount and the time of renewal', async () => {
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

  it('gives both to the caller of a run as well, once', async () => {
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

  it('is kept across a restart and a crash', async () => {
    const gateway = await start({ budget: budget([limit('requests', 2)]) }, { default: route() }, KILLED);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
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

describe('a budget of USD', () => {
  const prices = { cheap: { input: 1, output: 2 }, dear: { input: 100, output: 200, cached_input: 10 } };

  it('books each attempt at the price of its own model', async () => {
    const gateway = await start(
      { budget: budget([limit('usd', 1)], { prices }) },
      { default: route({ provider: 'first', model: 'dear', fallbacks: [{ provider: 'first', model: 'cheap' }] }) },
    );
    gateways.upstream.respond(using(100, 10, 40));
    await gateway.chat('hello');
    // 60 x 100 + 40 x 10 + 10 x 200 micro-dollars.
    expect(await left(gateway)).toBe('0.9916 USD');
    gateways.upstream.respond(failure(503), using(100, 10));
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

  it.each(['approved', 'denied'] as const)('keeps its reservation, once, across a restart until it is %s', async (decision) => {
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
  it('admits everything, books it, and records what it would have blocked', async () => {
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
