import type { JsonObject } from '@svc/contracts';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, broken, failure, frames, RUBBISH, raw, stalled } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, route, SECRETS, say } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  const hasty = route({ provider: 'hasty', pipeline: { ingress: ['mask'], egress: ['mask'] } });
  scene = await OpenAiScene.start({ hasty });
});
afterAll(() => scene.close());

/** A chat that fails: what the client threw. */
async function refusal(behaviour: Behaviour | readonly Behaviour[], options: { model?: string; stream?: boolean } = {}) {
  const { model = 'default', stream = false } = options;
  scene.upstream.respond(...[behaviour].flat());
  const error: unknown = await scene
    .client()
    .chat.completions.create({ model, messages: say('CALLER-TEXT'), stream })
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof OpenAI.APIError)) throw new Error('the chat did not fail as an API error', { cause: error });
  return error;
}

const both = [false, true] as const;
const UPSTREAM_STATUSES = [
  [301, 502, 'SVC-PROV-003'],
  [400, 400, 'SVC-PROV-003'],
  [401, 502, 'SVC-PROV-003'],
  [403, 502, 'SVC-PROV-003'],
  [404, 502, 'SVC-PROV-003'],
  [413, 413, 'SVC-PROV-003'],
  [422, 422, 'SVC-PROV-003'],
  [429, 429, 'SVC-PROV-003'],
  [500, 502, 'SVC-PROV-001'],
  [502, 502, 'SVC-PROV-001'],
  [503, 502, 'SVC-PROV-001'],
  [504, 504, 'SVC-PROV-002'],
] as const;

describe.each(both)('upstream trouble (stream: %s)', (stream) => {
  it.each(UPSTREAM_STATUSES)('%i is answered with %i %s', async (given, status, code) => {
    const error = await refusal(failure(given, { location: scene.upstream.url }), { stream });
    expect(error).toMatchObject({ status, code, message: expect.stringContaining(`${code}: `) });
    const run_id = error.headers?.get('x-svc-run-id');
    const events = await scene.events(run_id);
    expect(ofType(events, 'provider_call')).toMatchObject([{ node: 'upstream', data: { status: given, attempt: 1 } }]);
    expect(ofType(events, 'error')).toMatchObject([{ data: { code } }]);
    expect(await scene.evidence(run_id)).toMatchObject([{ status: 'error', events }]);
  });

  it.each([
    // The second is of the new connection in place of the one that was reused.
    ['before the headers', [broken(), broken()]],
    ['in the body', broken('{"id":"1","choi')],
    ['short of its length', broken('{"id":"1"}', { 'content-type': 'application/json', 'content-length': '100' })],
  ])('a connection broken %s is 502 SVC-PROV-001', async (_where, behaviour) => {
    expect((await scene.gateway.chat('hello')).status).toBe(200);
    expect(await refusal(behaviour, { stream })).toMatchObject({ status: 502, code: 'SVC-PROV-001' });
  });

  it.each(Object.entries(RUBBISH))('%s is 502 SVC-PROV-001', async (_what, behaviour) => {
    expect(await refusal(behaviour, { stream })).toMatchObject({ status: 502, code: 'SVC-PROV-001' });
  });

  it('an upstream that is silent until timeout_ms gets 504 SVC-PROV-002, and its call is closed', async () => {
    await expectTimeout(stalled(), stream);
  });
});

it('an upstream that stops in the middle of a whole answer is 504 SVC-PROV-002, and its call is closed', async () => {
  await expectTimeout(stalled('{"id":'), false);
});

async function expectTimeout(behaviour: Behaviour, stream: boolean): Promise<void> {
  const count = scene.upstream.requests.length + 1;
  const error = await refusal(behaviour, { model: 'hasty', stream });
  expect(error).toMatchObject({ status: 504, code: 'SVC-PROV-002' });
  await (await scene.upstream.received(count)).disconnected;
  const [call] = ofType(await scene.events(error.headers?.get('x-svc-run-id')), 'provider_call');
  expect(call?.data).toMatchObject({ outcome: 'timeout' });
  // The limit of the provider; timers may be a little early.
  expect(call?.data).toHaveProperty(
    'latency_ms',
    expect.toSatisfy((ms: number) => ms > 190),
  );
}

it('a streamed answer instead of a whole one gets 502 SVC-PROV-001', async () => {
  expect(await refusal(frames([{ choices: [] }]))).toMatchObject({ status: 502, code: 'SVC-PROV-001' });
});

describe('Retry-After', () => {
  it.each([
    ['17', '17'],
    ['0', '0'],
    ['rubbish', null],
  ])('%s of a 429 is passed on as %s', async (given, passed) => {
    const error = await refusal(failure(429, { 'retry-after': given }));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.headers?.get('retry-after')).toBe(passed);
  });

  it('is absent if the upstream sent none', async () => {
    expect((await refusal(failure(429))).headers?.has('retry-after')).toBe(false);
  });
});

describe('retries of the client', () => {
  it.each([
    ['429', failure(429, { 'retry-after-ms': '1', 'retry-after': '0' })],
    ['500', failure(500)],
  ])('after an unpaid %s get the answer, as a separate run', async (_status, behaviour) => {
    const before = (await scene.gateway.ledger()).length;
    scene.upstream.respond(behaviour, answer('at last'));
    const got = await scene.client({ maxRetries: 1 }).chat.completions.create({ model: 'default', messages: say('hello') });
    expect(got.choices[0]?.message.content).toBe('at last');
    const ended = (await scene.gateway.ledger()).slice(before).map(({ status }) => status);
    expect(ended).toEqual(['error', 'completed']);
  });

  it('do not happen after a 400', async () => {
    const before = scene.upstream.requests.length;
    scene.upstream.respond(failure(400));
    const call = scene.client({ maxRetries: 3 }).chat.completions.create({ model: 'default', messages: say('hello') });
    await expect(call).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(scene.upstream.requests).toHaveLength(before + 1);
  });

  it('are allowed if no model was paid, and never demanded', async () => {
    expect((await refusal(failure(503))).headers?.get('x-should-retry')).toBeNull();
  });
});

describe('text of an upstream', () => {
  it('appears nowhere: body, headers, log, events, metrics, ledger', async () => {
    const loud: Behaviour[] = [
      ...[400, 401, 403, 404, 413, 422, 429, 500, 503].map((status) => failure(status, { 'x-trace': SECRETS[0] ?? '' })),
      raw(418, { 'content-type': 'text/plain', 'retry-after': SECRETS[0] ?? '' }, SECRETS[0]),
      ...Object.values(RUBBISH),
    ];
    for (const behaviour of loud) {
      scene.upstream.respond(behaviour);
      const { status, text, headers, body } = await scene.gateway.chat('CALLER-TEXT');
      expect(status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'error']);
      const sent = `${text}\n${JSON.stringify([...headers])}`;
      for (const secret of [...SECRETS, 'CALLER-TEXT', scene.upstream.url]) expect(sent).not.toContain(secret);
    }
    const recorded = await scene.everythingRecorded();
    for (const secret of [...SECRETS, 'CALLER-TEXT', scene.upstream.url]) expect(recorded).not.toContain(secret);
  });

  it('as a finish_reason or tool type reaches no event', async () => {
    const completion = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: SECRETS[0] }],
    };
    scene.upstream.respond(raw(200, { 'content-type': 'application/json' }, JSON.stringify(completion)));
    const { headers } = await scene.gateway.chat('hello');
    const [call] = ofType(await scene.events(headers.get('x-svc-run-id')), 'provider_call');
    expect(call?.data).toMatchObject({ finish_reason: 'other' });
    expect(await scene.everythingRecorded()).not.toContain(SECRETS[0]);
  });

  it('that is not valid Unicode is repaired, so that it can be recorded and sent', async () => {
    scene.upstream.respond(
      raw(
        200,
        { 'content-type': 'application/json' },
        '{"choices":[{"message":{"content":"a\\ud83d b"},"finish_reason":"stop"}]}',
      ),
    );
    const { status, body } = await scene.gateway.chat('hello');
    expect([status, body.choices?.[0].message.content]).toEqual([200, 'a\uFFFD b']);
  });
});

it('the runs API reports the same failure as a run with status error', async () => {
  scene.upstream.respond(failure(500));
  const { status, body } = await scene.gateway.post('/v1/runs', { messages: say('hello') });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'error', response: '' });
  const codes = ofType(body.events, 'error').map(({ data }) => (data as JsonObject).code);
  expect(codes).toEqual(['SVC-PROV-001']);
});
