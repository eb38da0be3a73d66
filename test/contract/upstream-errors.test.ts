import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames, JSON_HEADERS, raw } from '../fixtures/upstream.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk, ofType, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start();
});
afterAll(() => scene.close());

const MARKER = 'WORDS-OF-THE-UPSTREAM';

const refuse = (status: number, error: unknown, headers: Record<string, string> = {}) =>
  raw(status, { ...JSON_HEADERS, ...headers }, JSON.stringify(error));

async function asked(stream: boolean) {
  const answer = await scene.gateway.chat('hello', { model: 'open', stream });
  const run_id = answer.headers.get('x-svc-run-id') ?? '';
  const [call] = ofType(await scene.events(run_id), 'provider_call');
  return { answer, call: call?.data };
}

const REFUSALS: [string, number, unknown, JsonObject][] = [
  [
    'OpenAI',
    400,
    { error: { message: MARKER, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } },
    { code: 'context_length_exceeded', param: 'messages' },
  ],
  [
    'OpenAI, of a value',
    400,
    {
      error: { message: MARKER, type: 'invalid_request_error', param: 'tools[0].function.parameters', code: 'unsupported_value' },
    },
    { code: 'unsupported_value', param: 'tools[0].function.parameters' },
  ],
  [
    'OpenAI, of a quota',
    429,
    { error: { message: MARKER, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
    { code: 'insufficient_quota' },
  ],
  [
    'Azure',
    400,
    { error: { message: MARKER, param: 'prompt', code: 'content_filter', status: 400, innererror: { x: MARKER } } },
    { code: 'content_filter', param: 'prompt' },
  ],
  ['Anthropic', 413, { type: 'error', error: { type: 'request_too_large', message: MARKER } }, { code: 'request_too_large' }],
  ['Google', 400, [{ error: { code: 400, message: MARKER, status: 'INVALID_ARGUMENT' } }], { code: 'INVALID_ARGUMENT' }],
  [
    'a server that quotes the caller',
    400,
    { error: { message: MARKER, code: MARKER, param: `messages.${MARKER}`, type: MARKER } },
    {},
  ],
  ['a server of another format', 422, MARKER, {}],
];

/** Codes that callers act on have one of ours. */
const OWN: Readonly<Record<string, string>> = {
  context_length_exceeded: 'SVC-PROV-004',
  insufficient_quota: 'SVC-PROV-005',
  content_filter: 'SVC-PROV-007',
};

describe.each([false, true])('a refusal of the upstream (stream: %s)', (stream) => {
  it.each(REFUSALS)('of %s with status %i returns its known codes, and no text', async (_who, status, error, known) => {
    scene.upstream.respond(refuse(status, error, { 'x-request-id': 'req_011CAbCdEf23', 'retry-after-ms': '1500' }));
    const { answer, call } = await asked(stream);
    const { code = 'SVC-PROV-003', param = null } = known;
    const own = OWN[String(code)] ?? 'SVC-PROV-003';
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code: own, error: { code, param } });
    expect(call).toMatchObject({ status, upstream_request_id: 'req_011CAbCdEf23' });
    expect(call).toMatchObject(known);
    expect(call === undefined || 'code' in call).toBe('code' in known);
    expect(answer.headers.get('retry-after-ms')).toBe(status === 429 && own === 'SVC-PROV-003' ? '1500' : null);
    expect(answer.headers.get('retry-after')).toBe(status === 429 && own === 'SVC-PROV-003' ? '2' : null);
    expect(JSON.stringify([answer.body, call])).not.toContain(MARKER);
  });

  it('is awaited only until its timeout, and reveals nothing about a wrong key', async () => {
    scene.upstream.respond((_request, response) => {
      response.writeHead(401, JSON_HEADERS).write('{"error":{"code":"model_not_found","message":"');
    });
    const { answer } = await asked(stream);
    expect(answer.status).toBe(502);
    expect(answer.body).toMatchObject({ code: 'SVC-PROV-003', error: { code: 'SVC-PROV-003', param: null } });
  });
});

describe('the id that the upstream gave to a call', () => {
  it.each([false, true])('is recorded (stream: %s)', async (stream) => {
    const completion = {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    };
    scene.upstream.respond((request, response) => {
      response.setHeader('request-id', '0f8fad5b-d9cb-469f-a165-70867728950e');
      return (
        stream
          ? frames([chunk({ content: 'x' }), chunk({}, { finish_reason: 'stop' })])
          : raw(200, JSON_HEADERS, JSON.stringify(completion))
      )(request, response);
    });
    expect((await asked(stream)).call).toMatchObject({
      outcome: 'answered',
      upstream_request_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    });
  });

  it.each([`${MARKER} and more`, MARKER, '4111111111111111', `req_${'a'.repeat(65)}`])(
    'is not passed on if it is %j',
    async (id) => {
      scene.upstream.respond(refuse(400, {}, { 'x-request-id': id }));
      expect((await asked(false)).call).not.toHaveProperty('upstream_request_id');
    },
  );
});

it('an error in mid-stream gives its known code in the last frame', async () => {
  scene.upstream.respond(
    frames([chunk({ content: 'a' }), { error: { message: MARKER, type: 'server_error', code: 'rate_limit_exceeded' } }]),
  );
  const { frames: came, run_id } = await readStream(scene.gateway, 'hello', { model: 'open' });
  expect(came.at(-1)).toMatchObject({ error: { code: 'rate_limit_exceeded' }, svc_run_id: run_id });
  expect(JSON.stringify(came)).not.toContain(MARKER);
});
