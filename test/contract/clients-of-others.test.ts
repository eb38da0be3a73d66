import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const ORIGIN = 'https://app.example.org';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { cors_origins: [ORIGIN] } }) });
});
afterAll(() => gateway.dispose());

const chat = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };

describe('an error that clients of OpenAI meet has its `error` object beside code and detail', () => {
  it.each([
    ['POST', '/v1/audio/speech', 'alice', 404, 'SVC-REQ-003', 'not_found_error'],
    ['GET', '/v1/chat/completions', 'alice', 404, 'SVC-REQ-003', 'not_found_error'],
    ['POST', '/v1/responses', null, 401, 'SVC-AUTH-001', 'authentication_error'],
    ['GET', '/v1/runs/x', null, 401, 'SVC-AUTH-001', 'authentication_error'],
    ['POST', '/v1/no/such/path', null, 401, 'SVC-AUTH-001', 'authentication_error'],
  ])('%s %s (key of %s) is %s', async (method, path, principal, status, code, type) => {
    const { status: answered, body } = await gateway.request(method, path, { principal });
    expect(answered).toBe(status);
    expect(body).toEqual({
      code,
      detail: expect.stringMatching(code),
      error: { message: body.detail, type, code, param: null },
    });
  });

  it.each([
    ['POST', '/openai/deployments/default/chat/completions?api-version=2025-01-01', "Azure's"],
    ['POST', '/v1beta/models/default:generateContent', "Google's"],
    ['POST', '/v1/models/default:streamGenerateContent?alt=sse', "Google's"],
    ['POST', '/api/chat', "Ollama's"],
    ['GET', '/api/tags', "Ollama's"],
  ])('%s %s is 404 without a key too, and names the setting', async (method, path, whose) => {
    for (const principal of ['alice', null]) {
      const { status, body } = await gateway.request(method, path, { principal });
      expect([status, body.code]).toEqual([404, 'SVC-REQ-003']);
      expect(body.detail).toContain(whose);
      expect(body.detail).toContain('`protocols`');
    }
  });
});

describe('x-request-id', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

  it('is once on every answer, and in the log', async () => {
    const answers = [
      await gateway.chat('hello'),
      await gateway.chat('hello', { stream: true }),
      await gateway.chat('hello', { model: 'none' }),
      await gateway.get('/v1/health', null),
      await gateway.get('/metrics', null),
      await gateway.get('/approvals', null),
      await gateway.get('/no/such/path'),
      await gateway.get('/v1/runs/%ff'),
      await gateway.request('POST', '/v1/runs', { body: 'no json', headers: { 'x-request-id': 'of-the-caller' } }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids.slice(0, 2)) await gateway.until((output) => (output.includes(`"request_id":"${id}"`) ? id : undefined));
    expect(gateway.output).not.toContain('of-the-caller');
  });

  it('also on invalid HTTP', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.end('rubbish\r\n\r\n');
    expect(await text(socket)).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });
});

describe("output of Python's model_dump()", () => {
  it('is accepted: null means absent', async () => {
    const said = {
      role: 'assistant',
      content: 'Hi.',
      refusal: null,
      tool_calls: null,
      function_call: null,
      audio: null,
      annotations: null,
    };
    const messages = [{ role: 'user', content: 'hello' }, said, { role: 'user', content: 'well', name: null }];
    const body = { ...chat, messages, stream: null, tools: null, response_format: null };
    const { status, headers } = await gateway.request('POST', '/v1/chat/completions', {
      body,
      headers: { 'x-svc-keep': 'request' },
    });
    expect(status).toBe(200);
    const sent = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}/request`)).body;
    expect(sent.messages).toEqual([messages[0], { role: 'assistant', content: 'Hi.' }, { role: 'user', content: 'well' }]);
    expect((await gateway.post('/v1/runs', { messages })).status).toBe(200);
  });
});

describe('a stop of a request for JSON', () => {
  it.each(['json_object', 'json_schema'])('is a refusal, whole and streamed (%s)', async (type) => {
    const response_format = { type, json_schema: { name: 'n', schema: {} } };
    const { body } = await gateway.chat('forbidden', { response_format });
    expect(body.choices[0]).toMatchObject({
      message: { content: null, refusal: expect.stringContaining('"policy"') },
      finish_reason: 'content_filter',
    });
    const streamed = await gateway.chat('forbidden', { response_format, stream: true });
    const frame = JSON.parse(streamed.text.slice('data: '.length, streamed.text.indexOf('\n')));
    expect(frame).toMatchObject({
      svc_event: 'blocked',
      choices: [{ delta: { content: null, refusal: expect.stringContaining('"policy"') }, finish_reason: 'content_filter' }],
    });
  });

  it('of any other stays in content', async () => {
    const { body } = await gateway.chat('forbidden', { response_format: { type: 'text' } });
    expect(body.choices[0].message).toMatchObject({ content: expect.stringContaining('"policy"'), refusal: null });
  });
});

describe('a page of another origin', () => {
  const preflight = (origin: string) =>
    gateway.request('OPTIONS', '/v1/chat/completions', {
      principal: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it('that is listed may send requests, and read the exposed headers', async () => {
    const allowed = await preflight(ORIGIN);
    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': 'authorization,content-type',
    });
    for (const stream of [false, true]) {
      const body = { ...chat, stream };
      const { headers } = await gateway.request('POST', '/v1/chat/completions', { body, headers: { origin: ORIGIN } });
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('access-control-expose-headers')).toContain('x-svc-run-id');
    }
    const refused = await gateway.request('POST', '/v1/runs', { principal: null, body: {}, headers: { origin: ORIGIN } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
  });

  it('that is not listed gets no permission', async () => {
    expect((await preflight('https://elsewhere.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});
