import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Collector } from '../fixtures/collector.ts';
import { decodeTraces, type ReceivedSpan } from '../fixtures/otlp.ts';
import { answer, failure, frames, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/** Has Node write that it resolves OpenTelemetry's SDK (prom-client loads the small API by itself). */
const TELL_IMPORTS = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ resolve(name, context, next) {
     if (name.startsWith('@opentelemetry/sdk-trace')) process.stderr.write('resolved ' + name + '\\n');
     return next(name, context);
   } });`,
)}`;

let collector: Collector;
let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  [collector, upstream] = [await Collector.start(), await startUpstream()];
  gateway = await TestGateway.start({
    config: echoConfig({
      telemetry: { traces: { endpoint: collector.url, headers: { 'x-tenant': 'secret://env/TENANT#value' } } },
      providers: { first: { type: 'openai', base_url: upstream.url, region: 'us', timeout_ms: 5000 } },
      routes: {
        chained: {
          provider: 'first',
          model: 'big',
          fallbacks: [{ provider: 'local', model: 'echo-1' }],
          pipeline: { ingress: ['mask'], egress: [] },
        },
      },
    }),
    env: { TENANT: 'tenant-7', NODE_OPTIONS: TELL_IMPORTS },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await Promise.all([collector.close(), upstream.close()]);
});

const spansOf = ({ headers, body }: Answer) => collector.run(headers.get('x-svc-run-id') ?? body.run_id);
const named = (spans: readonly ReceivedSpan[], kind: number) => spans.filter((span) => span.kind === kind);

function lies(inner: ReceivedSpan, outer: ReceivedSpan): boolean {
  return outer.start_ns <= inner.start_ns && inner.start_ns <= inner.end_ns && inner.end_ns <= outer.end_ns;
}

describe('a run becomes spans', () => {
  it('nested spans: one for the run, one for each verdict, and one for the upstream attempt', async () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const { run, inner } = await spansOf(await gateway.chat('Pay ACC-12345.'));
    expect(run).toMatchObject({
      name: 'run default',
      kind: SERVER,
      parent_span_id: '',
      status: 0,
      attributes: { 'svc.route': 'default', 'svc.status': 'completed', 'svc.streamed': false },
    });
    expect(run.start_ns).toBeGreaterThanOrEqual(before);
    expect(inner.map(({ trace_id }) => trace_id)).toEqual(inner.map(() => run.trace_id));
    expect(inner.filter((span) => !lies(span, run))).toEqual([]);
    expect(named(inner, INTERNAL).map(({ name, attributes }) => [name, attributes])).toEqual([
      ['guard mask', { 'svc.node': 'mask', 'svc.stage': 'ingress', 'svc.verdict': 'sanitize', 'svc.observed': false }],
      ['guard policy', { 'svc.node': 'policy', 'svc.stage': 'ingress', 'svc.verdict': 'allow', 'svc.observed': false }],
      ['guard mask', { 'svc.node': 'mask', 'svc.stage': 'egress', 'svc.verdict': 'allow', 'svc.observed': false }],
    ]);
    const [call, ...more] = named(inner, CLIENT);
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      name: 'chat echo-1',
      status: 0,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'echo',
        'gen_ai.request.model': 'echo-1',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
        'gen_ai.usage.cache_read.input_tokens': 0,
        'svc.provider': 'local',
        'svc.attempt': 1,
        'svc.region': 'eu',
      },
    });
    expect(call?.attributes['error.type']).toBeUndefined();
  });

  const parameters = {
    temperature: 0.2,
    top_p: 0.9,
    seed: 7,
    max_tokens: 50,
    stop: ['MARKERstop'],
    response_format: { type: 'json_object' },
  };
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 5,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const head = { id: 'chatcmpl-9f2Kq81LmZx03bTt', created: 1, model: 'big-2026-01-31' };
  const choice = { index: 0, finish_reason: 'stop', logprobs: null };
  const whole = {
    ...head,
    object: 'chat.completion',
    choices: [{ ...choice, message: { role: 'assistant', content: '{}' } }],
    usage,
  };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const streamed = [
    { ...chunk, choices: [{ ...choice, finish_reason: null, delta: { role: 'assistant', content: '{}' } }] },
    { ...chunk, choices: [{ ...choice, delta: {} }] },
    { ...chunk, choices: [], usage },
  ];

  it.each([
    ['whole', false, '/v1/chat/completions', parameters, raw(200, JSON_HEADERS, JSON.stringify(whole))],
    ['streamed', true, '/v1/chat/completions', parameters, frames(streamed)],
    [
      'whole, over another protocol',
      false,
      '/v1/messages',
      { temperature: 0.2, top_p: 0.9, max_tokens: 50 },
      raw(200, JSON_HEADERS, JSON.stringify(whole)),
    ],
  ] as const)(
    'with the parameters of the request and what the upstream reports, %s',
    async (_, stream, path, asked, behaviour) => {
      upstream.respond(behaviour);
      const messages = [{ role: 'user', content: 'hello' }];
      const said = await gateway.request('POST', path, { body: { model: 'chained', messages, stream, ...asked } });
      const { inner } = await spansOf(said);
      const [call] = named(inner, CLIENT);
      const { address, port } = { address: '127.0.0.1', port: Number(new URL(upstream.url).port) };
      expect(call?.attributes).toMatchObject({
        'server.address': address,
        'server.port': port,
        'gen_ai.request.temperature': 0.2,
        'gen_ai.request.top_p': 0.9,
        'gen_ai.request.max_tokens': 50,
        ...('seed' in asked && { 'gen_ai.request.seed': 7, 'gen_ai.output.type': 'json' }),
        'gen_ai.response.id': head.id,
        'gen_ai.response.model': head.model,
        'gen_ai.usage.cache_read.input_tokens': 4,
        'gen_ai.usage.reasoning.output_tokens': 3,
      });
      expect(call?.attributes).not.toHaveProperty('gen_ai.request.stop_sequences');
      expect(call?.attributes['gen_ai.request.stream']).toBe(stream ? true : undefined);
    },
  );

  it('with the session, the client and the digest of the user, and no other trace of them', async () => {
    const answered = await gateway.request('POST', '/v1/chat/completions', {
      body: { model: 'default', messages: [{ role: 'user', content: 'hello' }], user: 'MARKERann' },
      headers: { 'x-svc-session': 'session-of-spans', 'user-agent': 'some-agent/1.2' },
    });
    const { run, inner } = await spansOf(answered);
    expect(run.attributes).toMatchObject({ 'session.id': 'session-of-spans', 'user_agent.name': 'some-agent' });
    expect(run.attributes['user.hash']).toEqual(expect.any(String));
    expect(named(inner, CLIENT)[0]?.attributes).toMatchObject({ 'gen_ai.conversation.id': 'session-of-spans' });
    const { text } = await gateway.get('/metrics', null);
    expect(text).not.toMatch(/session-of-spans|some-agent/);
  });

  it('a failed attempt and its fallback', async () => {
    upstream.respond(failure(503));
    const { run, inner } = await spansOf(await gateway.chat('hello', { model: 'chained' }));
    expect(run).toMatchObject({ status: 0, attributes: { 'svc.status': 'completed' } });
    const calls = named(inner, CLIENT);
    expect(calls).toMatchObject([
      { name: 'chat big', status: ERROR, attributes: { 'error.type': 'unavailable', 'svc.attempt': 1 } },
      { name: 'chat echo-1', status: 0, attributes: { 'svc.attempt': 2 } },
    ]);
    expect(calls[0]?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'svc.provider': 'first' });
    expect(calls[0]?.attributes).not.toHaveProperty('gen_ai.usage.input_tokens');
  });

  it('a run that failed', async () => {
    upstream.respond(failure(422));
    const { run } = await spansOf(await gateway.chat('hello', { model: 'chained' }));
    expect(run).toMatchObject({ status: ERROR, attributes: { 'svc.status': 'error', 'error.type': 'invalid_request' } });
  });

  it('a blocked run without a model call', async () => {
    const { run, inner } = await spansOf(await gateway.chat('a forbidden thing'));
    expect(run).toMatchObject({ status: 0, attributes: { 'svc.status': 'blocked' } });
    expect(inner.map(({ name, attributes }) => [name, attributes['svc.verdict']])).toEqual([
      ['guard mask', 'allow'],
      ['guard policy', 'block'],
    ]);
  });

  it('a paused run, and its continuation after the decision', async () => {
    const paused = await gateway.chat('a wire transfer');
    const { run } = await spansOf(paused);
    expect(run.attributes).toMatchObject({ 'svc.status': 'paused' });
    const run_id = paused.body.svc_run_id;
    expect((await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' })).status).toBe(200);
    const runs = () => collector.spans.filter(({ attributes }) => attributes['svc.run_id'] === run_id);
    while (runs().length < 2) await collector.exported();
    expect(runs().map(({ attributes }) => attributes['svc.status'])).toEqual(['paused', 'completed']);
  });
});

describe('the trace of the caller', () => {
  const trace_id = '0af7651916cd43dd8448eb211c80319c';
  const span_id = 'b7ad6b7169203331';
  const chat = (traceparent: string) =>
    gateway.request('POST', '/v1/chat/completions', {
      body: { model: 'default', messages: [{ role: 'user', content: 'hello' }] },
      headers: { traceparent },
    });

  it('is continued in the span of the run', async () => {
    const { run } = await spansOf(await chat(`00-${trace_id}-${span_id}-01`));
    expect(run).toMatchObject({ trace_id, parent_span_id: span_id });
  });

  it.each(['rubbish', `00-${'0'.repeat(32)}-${span_id}-01`, `ff-${trace_id}-${span_id}-01`])(
    'is ignored if malformed: %s',
    async (traceparent) => {
      const { run } = await spansOf(await chat(traceparent));
      expect(run.parent_span_id).toBe('');
      expect(run.trace_id).not.toBe(trace_id);
    },
  );

  it('that is not sampled leaves no spans', async () => {
    const silent = await chat(`00-${trace_id}-${span_id}-00`);
    // Spans leave in the order of the runs: with those of a later one here, those of the earlier one would be.
    await spansOf(await gateway.chat('hello'));
    const run_id = silent.headers.get('x-svc-run-id');
    expect(collector.spans.filter(({ attributes }) => attributes['svc.run_id'] === run_id)).toEqual([]);
  });
});

describe('the sent spans', () => {
  it('name the service, its version and the schema', () => {
    const [body = Buffer.alloc(0)] = collector.bodies;
    const { resource, schemas } = decodeTraces(body);
    expect(resource).toEqual({ 'service.name': 'svc', 'service.version': '2.0.0a1' });
    expect(schemas).toEqual(['https://opentelemetry.io/schemas/gen-ai/1.42.0']);
  });

  it('have the headers of the configuration, with their secrets', () => {
    expect(collector.headers.length).toBeGreaterThan(0);
    expect(collector.headers.filter((headers) => headers['x-tenant'] !== 'tenant-7')).toEqual([]);
  });

  it('contain no text of a request or an answer, and no principal', async () => {
    const question = 'MARKERquestion';
    const reply = 'MARKERreply';
    upstream.respond(answer(reply));
    const told = await gateway.chat(question, { model: 'chained', user: 'MARKERuser' });
    expect(told.body.choices[0].message.content).toBe(reply);
    await spansOf(told);
    const sent = Buffer.concat(collector.bodies).toString('latin1');
    expect(sent).toContain('chat big');
    expect(sent).not.toMatch(/MARKER|forbidden|transfer|alice|tenant-7/);
  });
});

it('without telemetry in the configuration nothing is called or loaded', async () => {
  const seen = collector.connections;
  const plain = await TestGateway.start({
    config: echoConfig(),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
      NODE_OPTIONS: TELL_IMPORTS,
    },
  });
  try {
    expect((await plain.chat('hello')).status).toBe(200);
    expect(await plain.stop()).toBe(0);
    expect(gateway.output).toContain('resolved @opentelemetry/sdk-trace');
    expect(plain.output).not.toContain('resolved @opentelemetry/sdk-trace');
    expect(collector.connections).toBe(seen);
  } finally {
    await plain.dispose();
  }
});
