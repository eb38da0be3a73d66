import type { JsonObject } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { broken, failure, held, liveStream, stalled } from '../fixtures/upstream.ts';
import type { StartOptions } from '../harness/gateway.ts';
import { readStream, StreamReader } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';
import { until } from '../harness/until.ts';
import { BudgetGateways, budget, KILLED, left, limit, route, using } from './budget-gateways.ts';

const gateways = new BudgetGateways();
const { start } = gateways;

describe('a budget of tokens', () => {
  const spending = (more: JsonObject = {}, options: Partial<StartOptions> = {}) =>
    start(
      { budget: budget([limit('tokens', 10_000)]) },
      { default: route({ provider: 'first', model: 'm-1', ...more }) },
      options,
    );

  it("books the provider's reported usage, whole and streamed", async () => {
    const gateway = await spending();
    gateways.upstream.respond(using(100, 50));
    await gateway.chat('hello');
    expect(await left(gateway)).toBe('9850 tokens');
    gateways.upstream.respond(using(100, 50));
    const { frames } = await readStream(gateway, 'hello', { model: 'default' });
    expect(frames.length).toBeGreaterThan(1);
    expect(await left(gateway)).toBe('9700 tokens');
  });

  it('books nothing for a call that the provider refused', async () => {
    const gateway = await spending();
    gateways.upstream.respond(failure(503));
    expect((await gateway.chat('hello')).status).toBe(502);
    expect(await left(gateway)).toBe('10000 tokens');
  });

  it('keeps the reservation of a call whose cost is unknown', async () => {
    const gateway = await spending({ provider: 'hasty' });
    gateways.upstream.respond(stalled());
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(504);
    // 500 and what the word may come to: 3 for its 5 bytes and 8.
    expect(await left(gateway)).toBe('9489 tokens');
  });

  it.each([
    ['before its answer', broken()],
    ['within its answer', broken('{"id":"x","choi')],
  ])('keeps the reservation of a call whose connection broke %s', async (_where, behaviour) => {
    const gateway = await spending();
    gateways.upstream.respond(behaviour);
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(502);
    expect(await left(gateway)).toBe('9489 tokens');
  });

  it('books nothing for a call that did not reach its provider', async () => {
    const gateway = await spending({ provider: 'nobody' });
    expect((await gateway.chat('hello')).status).toBe(502);
    expect(await left(gateway)).toBe('10000 tokens');
  });

  it('counts an answer itself if its provider reports no usage', async () => {
    const gateway = await spending();
    gateways.upstream.respond(using(0, 0));
    const { headers } = await gateway.chat('hello');
    const { events } = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    const { usage } = events.find(({ event_type }: { event_type: string }) => event_type === 'provider_call').data;
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(await left(gateway)).toBe(`${10_000 - usage.input_tokens - usage.output_tokens} tokens`);
  });

  it('keeps the reservation of an approved run if the gateway died, and records that its cost is unknown', async () => {
    const gateway = await start(
      {
        budget: budget([limit('tokens', 10_000)]),
        policy: { type: 'rules', rules: [{ name: 'ask', match: 'wait', verdict: 'require_approval' }] },
      },
      { default: route({ provider: 'first', model: 'm-1' }, ['budget', 'policy']) },
      KILLED,
    );
    const { run_id } = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'wait' }] })).body;
    gateways.upstream.respond(stalled());
    const asked = gateways.upstream.received(gateways.upstream.requests.length + 1);
    const deciding = gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob').catch(() => undefined);
    await asked;
    await gateway.stop('SIGKILL');
    await deciding;
    await gateway.launch();
    expect(await left(gateway)).toBe(`${10_000 - 4096 - 10} tokens`);
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'interrupted', data: { spend: 'unknown' } }));
  });

  it("keeps the reservation of an abandoned call in addition to its fallback's cost", async () => {
    const gateway = await spending({ provider: 'hasty', fallbacks: [{ provider: 'first', model: 'm-1' }] });
    gateways.upstream.respond(stalled(), using(100, 50));
    expect((await gateway.chat('hello', { max_tokens: 500 })).status).toBe(200);
    expect(await left(gateway)).toBe('9339 tokens');
  });

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
    ['in the background', null],
  ])('keeps the reservation of a run during which the gateway died: %s', async (_, chat) => {
    const gateway = await spending({}, KILLED);
    gateways.upstream.respond(stalled());
    const asked = gateways.upstream.received(gateways.upstream.requests.length + 1);
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

  it('books the received part of a stream whose caller disconnected', async () => {
    const gateway = await spending();
    const live = liveStream();
    gateways.upstream.respond(live.behaviour);
    const asked = gateways.upstream.received(gateways.upstream.requests.length + 1);
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

  it('reserves for calls in progress, and releases the excess', async () => {
    const gateway = await spending();
    const gate = held(using(100, 50));
    gateways.upstream.respond(gate.behaviour);
    const asked = gateways.upstream.received(gateways.upstream.requests.length + 1);
    const under_way = gateway.chat('hello', { max_tokens: 9000 });
    await asked;
    expect(await left(gateway)).toBe('989 tokens');
    gate.release();
    expect((await under_way).status).toBe(200);
    expect(await left(gateway)).toBe('9850 tokens');
  });
});
