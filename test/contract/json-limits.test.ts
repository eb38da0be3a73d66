import { JSON_LIMITS, type JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionOf, frames, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

const { values, keys, depth } = JSON_LIMITS;
let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: {
        up: { type: 'openai', base_url: upstream.url },
        claude: { type: 'anthropic', base_url: upstream.url, api_key: 'k' },
      },
      packs: { digits: { type: 'rules', rules: [{ name: 'card', match: '4111', verdict: 'block' }] } },
      routes: {
        reads: { provider: 'local', model: 'm', pipeline: { ingress: ['digits'] } },
        upreads: { provider: 'up', model: 'm', pipeline: { egress: ['digits'] } },
        guarded: { provider: 'local', model: 'm', pipeline: { ingress: ['mask', 'policy'] } },
        up: { provider: 'up', model: 'm' },
        upguarded: { provider: 'up', model: 'm', pipeline: { egress: ['mask'] } },
        claude: { provider: 'claude', model: 'm' },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const list = (length: number, item = '1'): string => `[${Array.from({ length }, () => item).join()}]`;
const object = (length: number): string => `{${Array.from({ length }, (_, i) => `"k${i}":1`).join()}}`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

function send(model: string, more: string, path = '/v1/chat/completions') {
  const body = `{"model":"${model}","messages":[{"role":"user","content":"hi"}],"x":${more}}`;
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key('alice')}` },
    body,
  }).then(async (answer) => ({ status: answer.status, code: ((await answer.json()) as { code?: string }).code }));
}

const calling = (...written: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: written.map((text) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } })),
});
const asking = (model: string, ...written: string[]) =>
  gateway.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'hi' }, calling(...written), { role: 'tool', tool_call_id: 'c', content: 'x' }],
  });

describe('a body', () => {
  it.each([
    ['too many numbers', list(values), 413, 'SVC-REQ-002'],
    ['too many empty strings', list(values, '""'), 413, 'SVC-REQ-002'],
    ['too many empty arrays', list(values, '[]'), 413, 'SVC-REQ-002'],
    ['too many keys', object(keys), 413, 'SVC-REQ-002'],
    ['too many times one key', `{${Array.from({ length: keys }, () => '"k":1').join()}}`, 413, 'SVC-REQ-002'],
    ['too many levels', nested(depth), 400, 'SVC-REQ-001'],
    ['levels without end', '['.repeat(1_000_000), 400, 'SVC-REQ-001'],
    ['as many numbers as may be', list(values - 20), 200, undefined],
  ])('of %s', async (_what, more, status, code) => {
    expect(await send('default', more)).toEqual({ status, code });
  });

  it('is counted on every path', async () => {
    expect(await send('default', list(values), '/v1/runs')).toEqual({ status: 413, code: 'SVC-REQ-002' });
  });
});

describe("the arguments of a request's tool calls", () => {
  it.each([
    ['too many numbers', [list(values)], 413, 'SVC-REQ-002'],
    ['too many numbers in two calls', [list(values / 2), list(values / 2)], 413, 'SVC-REQ-002'],
    ['too many keys', [object(keys)], 413, 'SVC-REQ-002'],
    ['too many levels', [nested(depth + 1)], 400, 'SVC-REQ-001'],
    ['many numbers', [list(values / 2)], 200, undefined],
    ['a text that is no JSON, of many commas', ['a,'.repeat(values)], 200, undefined],
  ])('of %s', async (_what, written, status, code) => {
    const answer = await asking('guarded', ...written);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  });

  it('are counted by a provider that parses them, if there is no guard', async () => {
    const before = upstream.requests.length;
    expect(await asking('claude', object(keys / 2), object(keys / 2 + 1))).toMatchObject({ status: 413 });
    expect(upstream.requests).toHaveLength(before);
  });
});

describe('a guard that reads numbers', () => {
  it("sees those in a request's arguments", async () => {
    const { body } = await asking('reads', '{"card":[4111]}');
    expect(body.choices[0].finish_reason).toBe('content_filter');
  });

  it("sees those in an answer's, whole or streamed", async () => {
    const call = { index: 0, ...calling('{"card":[4111]}').tool_calls[0] };
    const { choices, ...rest } = completionOf('ok') as unknown as JsonObject & { choices: JsonObject[] };
    upstream.respond(
      raw(200, JSON_HEADERS, JSON.stringify({ ...rest, choices: [{ ...choices[0], message: calling('{"card":[4111]}') }] })),
      frames([chunk({ tool_calls: [call] }), chunk({}, { finish_reason: 'tool_calls' })]),
    );
    const { body } = await gateway.chat('hello', { model: 'upreads' });
    expect(body.choices[0].finish_reason).toBe('content_filter');
    const { raw: streamed } = await readStream(gateway, 'hello', { model: 'upreads' });
    expect(streamed).not.toContain('4111');
  });
});

it('a long conversation of an agent uses at most half of the limit', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [`p${i}`, { type: 'string', description: 'A value.' }]),
  );
  const parameters = { type: 'object', properties, required: ['p0'] };
  const tools = Array.from({ length: 200 }, (_, i) => ({
    type: 'function',
    function: { name: `tool${i}`, description: 'Does it.', parameters },
  }));
  const written = JSON.stringify({ path: '/a/b', line: 7, text: 'some words' });
  const turns = Array.from({ length: 1_000 }, () => [calling(written), { role: 'tool', tool_call_id: 'c', content: 'done' }]);
  const messages = [{ role: 'user', content: 'go' }, ...turns.flat()];
  const count = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 1
      : Object.values(value).reduce((sum: number, member) => sum + count(member), 1);
  expect(count({ tools, messages }) + turns.length * 4).toBeLessThan(values / 2);
  expect(await gateway.post('/v1/chat/completions', { model: 'guarded', tools, messages })).toMatchObject({ status: 200 });
});

const answerWith = (more: string): string => JSON.stringify(completionOf('ok')).replace(/}$/, `,"x":${more}}`);
const REFUSED = { status: 502, body: { code: 'SVC-PROV-001' } };

describe("an upstream's answer", () => {
  it.each([
    ['empty arrays', list(5_000_000, '[]')],
    ['numbers', list(values)],
    ['keys', object(keys)],
    ['levels', nested(depth)],
  ])('of too many %s is 502', async (_what, more) => {
    upstream.respond(raw(200, JSON_HEADERS, answerWith(more)));
    expect(await gateway.chat('hello', { model: 'up' })).toMatchObject(REFUSED);
  });

  it('with arguments of too many values gets 502 if a guard checks them', async () => {
    const { choices, ...rest } = completionOf('ok') as unknown as JsonObject & { choices: JsonObject[] };
    const body = { ...rest, choices: [{ ...choices[0], message: calling(list(values)) }] };
    upstream.respond(raw(200, JSON_HEADERS, JSON.stringify(body)));
    expect(await gateway.chat('hello', { model: 'upguarded' })).toMatchObject(REFUSED);
  });

  it('of the maximum size passes', async () => {
    upstream.respond(raw(200, JSON_HEADERS, answerWith(list(values / 2))));
    expect(await gateway.chat('hello', { model: 'up' })).toMatchObject({ status: 200 });
  });
});

describe('a streamed answer', () => {
  const error = async (model: string, list: readonly unknown[]) => {
    upstream.respond(frames([chunk({ content: 'a' }), ...list, chunk({}, { finish_reason: 'stop' })]));
    const { frames: read } = await readStream(gateway, 'hello', { model });
    return read.at(-1)?.error?.code ?? null;
  };

  it.each([
    ['one event of too many values', [{ ...chunk({ content: 'b' }), x: Array.from({ length: values }, () => []) }]],
    [
      'one event of too many choices',
      [
        {
          ...chunk({}),
          choices: Array.from({ length: 200 }, () => ({ index: 0, delta: { content: 'b' }, finish_reason: null })),
        },
      ],
    ],
  ])('ends at %s', async (_what, list) => {
    expect(await error('up', list)).toBe('SVC-PROV-001');
  });

  it('ends if the kept events together are too large, though none alone is', async () => {
    const many = Array.from({ length: 3 }, () => chunk({ annotations: Array.from({ length: values / 2 }, () => ({})) }));
    upstream.respond(frames([...many, chunk({}, { finish_reason: 'stop' })]));
    expect(await gateway.chat('hello', { model: 'upguarded', stream: true })).toMatchObject(REFUSED);
    // Nobody looks, nothing is kept.
    expect(await error('up', many)).toBeNull();
  });
});
