import { isObject, parseExact } from '@svc/contracts';
import { anthropic, responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  type Behaviour,
  completionOf,
  frames,
  JSON_HEADERS,
  raw as rawAnswer,
  SSE_HEADERS,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { chunk } from '../harness/stream-scene.ts';

/** Numbers that a double cannot hold. */
const NUMBERS = ['12345678901234567890', '-9007199254740993', '0.1234567890123456789', '3.00000000000000000001', '1e-400'];
/** What is asked and answered with them, and a text that the guards of some routes mask. */
const VALUE = `{"who":"ACC-1","ids":[${NUMBERS.join(',')}],"n":1,"more":{"half":0.5}}`;
const MASKED = VALUE.replace('ACC-1', '<ACCOUNT>');
const DOORS = ['/v1/chat/completions', '/v1/messages', '/v1/responses'] as const;
const ROUTES = ['chat', 'messages', 'responses'] as const;
type Door = (typeof DOORS)[number];
type Route = (typeof ROUTES)[number];
const isOwn = (door: Door, provider: Route): boolean => DOORS.indexOf(door) === ROUTES.indexOf(provider);
const isChat = (name: Door | Route): boolean => name === DOORS[0] || name === ROUTES[0];
const GUARDS = { bare: VALUE, seen: VALUE, masked: MASKED, observed: VALUE };

let upstream: Upstream;
let gateway: TestGateway;
/** What the upstream answers with. */
let behaviour: Behaviour;
beforeAll(async () => {
  upstream = await startUpstream((request, response) => behaviour(request, response));
  const base_url = upstream.url;
  const rules = (match: string, verdict: string) => ({
    type: 'rules',
    rules: [{ name: 'account', match, verdict, ...(verdict === 'sanitize' && { replacement: '<ACCOUNT>' }) }],
  });
  const pipelines = {
    bare: {},
    seen: { ingress: ['nothing'], egress: ['nothing'] },
    masked: { ingress: ['mask'], egress: ['mask'] },
    observed: { ingress: ['watch'], egress: ['watch'] },
    paused: { ingress: ['pause'] },
    number: { ingress: ['number'] },
  };
  const routes = ROUTES.flatMap((provider) =>
    Object.entries(pipelines).map(([name, pipeline]) => [`${provider}-${name}`, { provider, model: 'm-1', pipeline }]),
  );
  gateway = await TestGateway.start({
    here: true,
    config: {
      server: { record_content: true },
      approvals: { reuse_for: 0 },
      providers: {
        chat: { type: 'openai', base_url, region: 'eu' },
        responses: { type: 'openai', api: 'responses', base_url, region: 'eu' },
        messages: { type: 'anthropic', base_url: new URL(base_url).origin, region: 'eu' },
      },
      packs: {
        nothing: rules('ACC-9', 'block'),
        mask: rules('ACC-\\d+', 'sanitize'),
        watch: { ...rules('ACC-\\d+', 'sanitize'), mode: 'observe' },
        pause: rules('ACC-\\d+', 'require_approval'),
        number: rules('12345678901234567890', 'sanitize'),
      },
      routes: Object.fromEntries(routes),
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const raw = (text: string) => parseExact(text) as never;
const schema = { type: 'object', properties: { id: { enum: raw(`[${NUMBERS.join(',')}]`) } } };

/** A second turn with a tool call, in the protocol of a door. */
function bodyOf(door: Door, model: string, stream: boolean): string {
  const own = { model, stream, x_new: raw(VALUE) };
  switch (door) {
    case '/v1/chat/completions': {
      const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: VALUE } }];
      const messages = [
        { role: 'user', content: 'who?' },
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'call_1', content: VALUE },
      ];
      return JSON.stringify({ ...own, messages, tools: [{ type: 'function', function: { name: 'find', parameters: schema } }] });
    }
    case '/v1/messages': {
      const messages = [
        { role: 'user', content: 'who?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: raw(VALUE) }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: VALUE }] },
      ];
      return JSON.stringify({ ...own, max_tokens: 99, messages, tools: [{ name: 'find', input_schema: schema }] });
    }
    case '/v1/responses': {
      const input = [
        { role: 'user', content: 'who?' },
        { type: 'function_call', call_id: 'call_1', name: 'find', arguments: VALUE },
        { type: 'function_call_output', call_id: 'call_1', output: VALUE },
      ];
      return JSON.stringify({ ...own, input, tools: [{ type: 'function', name: 'find', parameters: schema, strict: false }] });
    }
  }
}

/** A tool call, in the protocol of an upstream, whole or streamed as it is asked. */
function respond(provider: Route): void {
  const found = { type: 'function', function: { name: 'find', arguments: VALUE } };
  switch (provider) {
    case 'chat': {
      const whole = completionOf({ model: 'm-1' }, '');
      const message = { role: 'assistant', content: null, tool_calls: [{ id: 'call_2', ...found }] };
      const pieces = [
        chunk({ role: 'assistant', tool_calls: [{ index: 0, id: 'call_2', ...found }] } as never),
        chunk({}, { finish_reason: 'tool_calls' }),
      ];
      behaviour = async (request, response) => {
        const streamed = (request.body as { stream?: boolean }).stream === true;
        const choices = [{ ...whole.choices[0], message, finish_reason: 'tool_calls' }];
        await (streamed ? frames(pieces) : answer({ ...whole, choices } as never))(request, response);
      };
      break;
    }
    case 'messages':
      behaviour = anthropic.answer({
        content: [{ type: 'tool_use', id: 'call_2', name: 'find', input: raw(VALUE) }],
        stop_reason: 'tool_use',
      });
      break;
    case 'responses':
      behaviour = responses.answer({
        output: [{ type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'find', arguments: VALUE, status: 'completed' }],
      });
  }
}

/** Every JSON value in a text, also as a text in a text, that begins like {@link VALUE}. */
function valuesIn(text: string): string[] {
  const plain = text.replaceAll('\\', '');
  return plain.match(/\{"who":.*?"half":0\.5\}\}/g) ?? [];
}

/** What a caller can put together from the pieces of a stream, or from a whole answer. */
function called(door: Door, text: string, stream: boolean): string {
  if (!stream) return valuesIn(text).join();
  const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
  const written = events.map((event) => {
    if (door === '/v1/messages') return event.delta?.partial_json ?? '';
    if (door === '/v1/responses') return event.type === 'response.function_call_arguments.delta' ? event.delta : '';
    return event.choices?.[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? '';
  });
  return written.join('');
}

describe.each(DOORS)('%s', (door) => {
  describe.each(ROUTES)('to an upstream of %s', (provider) => {
    it.each(Object.entries(GUARDS))('%s: numbers keep their digits both ways, whole and streamed', async (guards, value) => {
      for (const stream of [false, true]) {
        respond(provider);
        const { text, status } = await gateway.post(door, bodyOf(door, `${provider}-${guards}`, stream));
        expect(status, text).toBe(200);
        const sent = upstream.requests.at(-1)?.text ?? '';
        // The call, its result, and the new field where both ends speak one protocol.
        const places = isOwn(door, provider) ? 3 : 2;
        expect(valuesIn(sent).filter((written) => written === value)).toHaveLength(places);
        expect(sent).toContain(`"enum":[${NUMBERS.join(',')}]`);
        expect(called(door, text, stream)).toBe(value);
      }
    });

    it('a run that waits for an approval keeps them, and shows them', async () => {
      respond(provider);
      const { headers } = await gateway.post(door, bodyOf(door, `${provider}-paused`, false));
      const run_id = headers.get('x-svc-run-id') ?? '';
      const { text } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
      expect(valuesIn(text)).toContain(VALUE);
      await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
      expect(valuesIn(upstream.requests.at(-1)?.text ?? '')).toContain(VALUE);
      const kept = await Promise.all(['request', 'response'].map((name) => gateway.get(`/v1/runs/${run_id}/${name}`)));
      for (const { text } of kept) expect(valuesIn(text)).toContain(VALUE);
    });
  });

  it('a number that a guard masks is masked with all of its digits', async () => {
    const provider = ROUTES[DOORS.indexOf(door)] ?? 'chat';
    respond(provider);
    const { status } = await gateway.post(door, bodyOf(door, `${provider}-number`, false));
    expect(status).toBe(200);
    const sent = upstream.requests.at(-1)?.text ?? '';
    expect(valuesIn(sent)).toContain(VALUE.replace('12345678901234567890', '"<ACCOUNT>"'));
    expect(sent).not.toContain('12345678901234567890');
  });

  it('a number beyond a double is refused', async () => {
    const body = bodyOf(door, 'chat-bare', false).replace('1e-400', '1e400');
    expect(await gateway.post(door, body)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });

  // odd-numbers.slow.test.ts has the door's own protocol, and chat.
  it.each(ROUTES.filter((provider) => provider !== 'chat' && !isOwn(door, provider)))(
    'such a number anywhere in a request to %s is refused or accepted, and never breaks anything',
    async (provider) => {
      respond(provider);
      const odd = new Set<unknown>();
      for (const body of everywhere(JSON.parse(bodyOf(door, `${provider}-masked`, false)))) {
        const { status, text } = await gateway.post(door, JSON.stringify(body));
        if (![200, 400, 404].includes(status)) odd.add([status, text, JSON.stringify(body)].join(' '));
      }
      expect([...odd]).toEqual([]);
    },
  );

  it('a limit that is such a number is refused', async () => {
    const limit = door === '/v1/responses' ? 'max_output_tokens' : 'max_tokens';
    const body = { ...(JSON.parse(bodyOf(door, 'chat-bare', false)) as object), [limit]: raw('12345678901234567890') };
    expect(await gateway.post(door, JSON.stringify(body))).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });

  const others = ROUTES.filter((provider) => ![door, provider].some(isChat) && !isOwn(door, provider));
  it.each(others.flatMap((provider) => [false, true].map((stream) => ({ provider, stream }))))(
    'such a number anywhere in an answer of $provider is accepted or malformed (streamed: $stream)',
    async ({ provider, stream }) => {
      respond(provider);
      const odd: string[] = [];
      for (const answered of everywhere(await saidBy(behaviour, stream), stream ? 5 : 1)) {
        behaviour = stream ? events(answered as object[]) : rawAnswer(200, JSON_HEADERS, JSON.stringify(answered));
        const { status, text } = await gateway.post(door, bodyOf(door, `${provider}-masked`, stream));
        if (![200, 502].includes(status) || text.includes('SVC-INT-001')) odd.push(`${status} ${JSON.stringify(answered)}`);
      }
      expect(odd).toEqual([]);
    },
  );
});

/** What an upstream says: the body of a whole answer, or the events of a stream. */
async function saidBy(behave: Behaviour, stream: boolean): Promise<unknown> {
  let written = '';
  const response = {
    writeHead: () => response,
    end: (text = '') => {
      written += text;
    },
  };
  await behave({ body: { model: 'm-1', stream } } as never, response as never);
  if (!stream) return JSON.parse(written);
  return written.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
}

function events(list: readonly object[]): Behaviour {
  const text = list.map(
    (event) =>
      `event: ${typeof Reflect.get(event, 'type') === 'string' ? Reflect.get(event, 'type') : 'message'}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return rawAnswer(200, SSE_HEADERS, `${text.join('')}data: [DONE]\n\n`);
}

/** A body with a long number in place of each of its values, one at a time. @param step of so many values one: a stream says them several times */
function everywhere(body: unknown, step = 1): unknown[] {
  return [...replaced(body)].filter((value, at) => (isObject(value) || Array.isArray(value)) && at % step === 0);
}

function* replaced(value: unknown): Generator<unknown> {
  yield raw('12345678901234567890');
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (key === 'model') continue;
    for (const member of replaced(Reflect.get(value, key))) {
      const copy: object = Array.isArray(value) ? [...value] : { ...value };
      yield Object.assign(copy, { [key]: member });
    }
  }
}

const LOGPROB = '-0.12345678901234567890';

it('numbers of an answer in the protocol of its caller keep their digits, whole and streamed', async () => {
  const { choices, ...head } = completionOf({ model: 'm-1' }, 'yes');
  const logprobs = { content: [{ token: 'yes', logprob: raw(LOGPROB), bytes: null, top_logprobs: [] }] };
  const whole = { ...head, choices: [{ ...choices[0], logprobs }] };
  const pieces = [
    { ...chunk({ content: 'yes' }), choices: [{ index: 0, delta: { content: 'yes' }, logprobs, finish_reason: null }] },
  ];
  for (const guards of ['bare', 'observed']) {
    behaviour = answer(whole as never);
    const asked = { model: `chat-${guards}`, messages: [{ role: 'user', content: 'who?' }] };
    expect((await gateway.post('/v1/chat/completions', asked)).text).toContain(`"logprob":${LOGPROB}`);
    behaviour = frames([...pieces, chunk({}, { finish_reason: 'stop' })]);
    expect((await gateway.post('/v1/chat/completions', { ...asked, stream: true })).text).toContain(`"logprob":${LOGPROB}`);
  }
});

it('an upstream that answers with a number beyond a double is malformed', async () => {
  const input = raw('{"id":1e400}');
  for (const stream of [false, true]) {
    behaviour = anthropic.answer({ content: [{ type: 'server_tool_use', id: 'call_2', name: 'find', input }] });
    const { status, text } = await gateway.post('/v1/messages', bodyOf('/v1/messages', 'messages-bare', stream));
    expect([status, text.includes('1e400')]).toEqual([502, false]);
  }
});

it('the same idempotency key with a different long number is a different request', async () => {
  const ask = (id: string) =>
    gateway.request('POST', '/v1/runs', {
      headers: { 'idempotency-key': 'long-number' },
      body: `{"route":"chat-bare","messages":[{"role":"user","content":"who?","x_id":${id}}]}`,
    });
  behaviour = answer('you');
  expect((await ask('12345678901234567890')).status).toBe(200);
  expect(upstream.requests.at(-1)?.text).toContain('"x_id":12345678901234567890');
  expect((await ask('12345678901234567890')).status).toBe(200);
  expect((await ask('12345678901234567891')).status).toBe(409);
});

it('a continued response keeps the digits of the previous one', async () => {
  respond('responses');
  const first = await gateway.post('/v1/responses', bodyOf('/v1/responses', 'responses-bare', false));
  const input = `[{"type":"function_call_output","call_id":"call_2","output":"ok","x_id":${NUMBERS[0]}}]`;
  const next = (model: string, id: string) =>
    gateway.post('/v1/responses', `{"model":"${model}","input":${input},"previous_response_id":"${id}"}`);
  const second = await next('responses-bare', first.body.id);
  const third = await next('responses-bare', second.body.id);
  expect(third.status).toBe(200);
  const sent = upstream.requests.at(-1)?.text ?? '';
  expect(valuesIn(sent).filter((written) => written === VALUE).length).toBeGreaterThan(3);
  expect(sent.split(`"x_id":${NUMBERS[0]}`)).toHaveLength(3);
});
