import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CachingUpstream, startCachingUpstream } from '../fixtures/caching-upstream.ts';
import { failure } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const NAMES = ['a', 'b', 'c'];
let upstreams: CachingUpstream[];
let gateway: TestGateway;
beforeAll(async () => {
  upstreams = await Promise.all(NAMES.map(startCachingUpstream));
  const providers = Object.fromEntries(
    NAMES.map((name, index) => [
      name,
      { type: 'openai', base_url: upstreams[index]?.url ?? '', region: index === 0 ? 'us' : 'eu' },
    ]),
  );
  const among = (model: string, more: JsonObject = {}) => ({
    endpoints: NAMES.map((provider) => ({ provider, model })),
    pipeline: { ingress: [], egress: [] },
    ...more,
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers,
      packs: {
        inEu: { type: 'residency', allowed_regions: ['eu'] },
        mask: { type: 'pii' },
        ask: { type: 'residency', allowed_regions: ['none'], require_approval: true },
      },
      routes: {
        cache: among('cache'),
        none: among('none', { affinity: 'none' }),
        principal: among('principal', { affinity: 'principal' }),
        refusing: among('refusing'),
        within: among('within', { pipeline: { ingress: ['inEu'], egress: [] } }),
        masked: among('masked', { pipeline: { ingress: ['mask'], egress: ['mask'] } }),
        asked: among('asked', { pipeline: { ingress: ['mask', 'ask'], egress: ['mask'] } }),
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  for (const upstream of upstreams) await upstream.close();
});

async function calls(run_id: string): Promise<JsonObject[]> {
  const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
  return events
    .filter(({ event_type }: JsonObject) => event_type === 'provider_call')
    .map(({ data }: { data: JsonObject }) => data);
}

/** The endpoints that a request went to, in order, and its run. */
async function ask(model: string, body: JsonObject, { path = '/v1/chat/completions', principal = 'alice' } = {}) {
  const { headers } = await gateway.post(path, { model, ...body }, principal);
  const run_id = headers.get('x-svc-run-id') ?? '';
  return { run_id, at: (await calls(run_id)).map(({ provider }) => provider) };
}
const user = (content: unknown): JsonObject => ({ role: 'user', content: content as string });
const KEYS = Array.from({ length: 24 }, (_, index) => `conversation-${index}`);

describe('requests that name a cache', () => {
  it.each([
    ['chat', '/v1/chat/completions', (text: string) => ({ messages: [user(text)] })],
    ['Responses', '/v1/responses', (text: string) => ({ input: text, store: false })],
  ])('go to the same endpoint, and other names to others (%s)', async (_of, path, body) => {
    const seen = new Set<unknown>();
    for (const prompt_cache_key of KEYS) {
      const places = [];
      for (const text of ['one', 'two', 'three'])
        places.push(...(await ask('cache', { ...body(text), prompt_cache_key }, { path })).at);
      expect(new Set(places).size).toBe(1);
      seen.add(places[0]);
    }
    expect([...seen].toSorted()).toEqual(NAMES);
  });

  it('go to the same endpoint by a marked prefix, as the conversation grows', async () => {
    const seen = new Set<unknown>();
    for (const key of KEYS) {
      const mark = { cache_control: { type: 'ephemeral' } };
      const system = [{ type: 'text', text: `rules of ${key}`, ...mark }];
      const messages = [user('one'), { role: 'assistant', content: 'well' }, user([{ type: 'text', text: 'two', ...mark }])];
      const places = [];
      for (const length of [1, 3])
        places.push(
          ...(await ask('cache', { max_tokens: 9, system, messages: messages.slice(0, length) }, { path: '/v1/messages' })).at,
        );
      expect(new Set(places).size).toBe(1);
      seen.add(places[0]);
    }
    expect([...seen].toSorted()).toEqual(NAMES);
  });

  it("find the earlier turns in that endpoint's cache", async () => {
    const before = upstreams.map(({ counted }) => ({ ...counted }));
    for (const prompt_cache_key of KEYS) {
      const messages = [user(`a long text about ${prompt_cache_key} `.repeat(20))];
      for (let turn = 0; turn < 4; turn += 1) {
        await ask('cache', { messages: [...messages], prompt_cache_key });
        messages.push({ role: 'assistant', content: 'well' }, user('more'));
      }
    }
    const [prompt, cached] = (['prompt', 'cached'] as const).map((what) =>
      upstreams.reduce((sum, { counted }, index) => sum + counted[what] - (before[index]?.[what] ?? 0), 0),
    );
    // Only the first of four turns is new, and what each turn adds.
    expect((cached ?? 0) / (prompt ?? 1)).toBeGreaterThan(0.65);
  });

  it('are distributed by weight if the route says so, or if they name no cache', async () => {
    for (const [model, body] of [
      ['none', { prompt_cache_key: 'k' }],
      ['cache', {}],
    ] as const) {
      const seen = new Set<unknown>();
      for (let asked = 0; seen.size < NAMES.length && asked < 64; asked += 1)
        for (const place of (await ask(model, { messages: [user('hello')], ...body })).at) seen.add(place);
      expect([...seen].toSorted()).toEqual(NAMES);
    }
  });
});

it('of a principal stay together if the route says so', async () => {
  const places = [];
  for (let asked = 0; asked < 12; asked += 1)
    places.push(...(await ask('principal', { messages: [user(`question ${asked}`)] })).at);
  expect(new Set(places).size).toBe(1);
});

it('an endpoint that refuses leaves each of its caches to the next in its own order', async () => {
  const placeOf = async (prompt_cache_key: string) => (await ask('refusing', { messages: [user('hello')], prompt_cache_key })).at;
  const before = await Promise.all(KEYS.map(async (key) => (await placeOf(key)).at(-1)));
  const [dead] = upstreams;
  dead?.respond(failure(401));
  const first = KEYS[before.indexOf('a')] ?? '';
  expect(await placeOf(first)).toHaveLength(2);
  const after = [];
  for (const key of KEYS) after.push((await placeOf(key)).at(-1));
  for (const [index, place] of after.entries()) {
    if (before[index] !== 'a') expect(place).toBe(before[index]);
    else expect(place).not.toBe('a');
  }
  expect(new Set(after)).toEqual(new Set(['b', 'c']));
});

it('a guard that refuses an endpoint leaves its caches to the others, each to the same', async () => {
  for (const prompt_cache_key of KEYS.slice(0, 8)) {
    const places = [];
    for (let asked = 0; asked < 3; asked += 1)
      places.push(...(await ask('within', { messages: [user('hello')], prompt_cache_key })).at);
    expect(new Set(places).size).toBe(1);
    expect(places).not.toContain('a');
  }
});

it.each(['masked', 'asked'])('neither masking nor a pause changes the endpoint (%s)', async (model) => {
  const seen = new Set<unknown>();
  for (const key of KEYS.slice(0, 12)) {
    const mark = { cache_control: { type: 'ephemeral' } };
    const system = [{ type: 'text', text: `Write to ${key}@example.com`, ...mark }];
    const body = { max_tokens: 9, system, messages: [user('hello')] };
    const { run_id } = await ask(model, body, { path: '/v1/messages' });
    if (model === 'asked') await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    // Drawn anew each time that it begins to run.
    const drawn = events
      .filter(({ event_type, data }: { event_type: string; data: JsonObject }) => event_type === 'state' && data.to === 'running')
      .map(({ data }: { data: JsonObject }) => (data.endpoint as JsonObject).provider);
    const [{ provider, outcome } = {}] = await calls(run_id);
    expect(outcome).toBe('answered');
    expect(drawn).toEqual(Array(model === 'asked' ? 2 : 1).fill(provider));
    seen.add(provider);
  }
  expect(seen.size).toBeGreaterThan(1);
});
