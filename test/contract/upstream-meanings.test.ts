import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, frames, JSON_HEADERS, raw } from '../fixtures/upstream.ts';
import { chunk, ofType, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start();
});
afterAll(() => scene.close());

const MARKER = 'WORDS-OF-THE-UPSTREAM';
const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;
type Door = keyof typeof PATHS;
const DOORS = Object.keys(PATHS) as Door[];

/** What an upstream says, and what each door makes of it: our code and status, its error object, and how a stream that began says it. */
interface Meaning {
  readonly name: string;
  readonly status: number;
  readonly error: JsonObject;
  readonly code: string;
  readonly class: string;
  readonly openai: { readonly status: number; readonly error: JsonObject };
  readonly anthropic: { readonly status: number; readonly error: JsonObject };
  readonly failed: JsonObject;
}

const tooLong =
  "This model's maximum context length is 200000 tokens. However, your messages resulted in 210118 tokens. Please reduce the length of the messages.";
const MEANINGS: readonly Meaning[] = [
  {
    name: 'a context window that was exceeded',
    status: 400,
    error: { type: 'invalid_request_error', message: `prompt is too long: 210118 tokens > 200000 maximum ${MARKER}` },
    code: 'SVC-PROV-004',
    class: 'context_length',
    openai: { status: 400, error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: tooLong } },
    anthropic: {
      status: 400,
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210118 tokens > 200000 maximum' },
    },
    failed: { code: 'context_length_exceeded', message: tooLong },
  },
  {
    name: 'a quota',
    status: 429,
    error: { code: 'insufficient_quota', type: 'insufficient_quota', message: MARKER },
    code: 'SVC-PROV-005',
    class: 'quota',
    openai: { status: 429, error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    anthropic: { status: 429, error: { type: 'billing_error' } },
    failed: { code: 'insufficient_quota' },
  },
  {
    name: 'a credit that is used up',
    status: 400,
    error: { type: 'invalid_request_error', message: `Your credit balance is too low to access the API. ${MARKER}` },
    code: 'SVC-PROV-005',
    class: 'quota',
    openai: { status: 400, error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    anthropic: { status: 400, error: { type: 'billing_error' } },
    failed: { code: 'insufficient_quota' },
  },
  {
    name: 'an unknown model',
    status: 404,
    error: { type: 'invalid_request_error', code: 'model_not_found', message: MARKER },
    code: 'SVC-PROV-006',
    class: 'unknown_model',
    openai: { status: 502, error: { type: 'invalid_request_error', code: 'model_not_found' } },
    anthropic: { status: 502, error: { type: 'not_found_error' } },
    failed: { code: 'model_not_found' },
  },
  {
    name: 'a content policy',
    status: 400,
    error: { code: 'content_filter', message: MARKER, innererror: { code: 'ResponsibleAIPolicyViolation' } },
    code: 'SVC-PROV-007',
    class: 'content_policy',
    openai: { status: 400, error: { type: 'invalid_request_error', code: 'content_filter' } },
    anthropic: { status: 400, error: { type: 'invalid_request_error' } },
    failed: { code: 'content_filter' },
  },
  {
    name: 'an overload',
    status: 529,
    error: { type: 'overloaded_error', message: MARKER },
    code: 'SVC-PROV-008',
    class: 'overloaded',
    openai: { status: 503, error: { type: 'service_unavailable_error', code: 'server_is_overloaded' } },
    anthropic: { status: 529, error: { type: 'overloaded_error' } },
    failed: { code: 'server_is_overloaded' },
  },
];

async function ask(door: Door, stream: boolean, behaviour: Behaviour) {
  scene.upstream.respond(behaviour);
  const asked = door === 'responses' ? { input: 'hello' } : { messages: [{ role: 'user', content: 'hello' }], max_tokens: 9 };
  return scene.gateway.post(PATHS[door], { model: 'open', stream, ...asked });
}

/** The data of the last event but `[DONE]`. */
function lastOf(text: string): JsonObject {
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  return JSON.parse(data.at(-1)?.slice('data: '.length) ?? 'null');
}

describe.each(MEANINGS)('$name', ({ status, error, code, class: failure, openai, anthropic, failed }) => {
  describe.each(DOORS)('through %s', (door) => {
    const told = door === 'messages' ? anthropic : openai;

    it.each([false, true])('before an answer began (stream: %s)', async (stream) => {
      const answer = await ask(door, stream, raw(status, { ...JSON_HEADERS, 'retry-after': '7' }, JSON.stringify({ error })));
      expect(answer.status).toBe(told.status);
      expect(answer.body).toMatchObject({ code, error: told.error });
      expect(answer.headers.get('retry-after')).toBe(code === 'SVC-PROV-008' ? '7' : null);
      expect(answer.text).not.toContain(MARKER);
      const run_id = answer.headers.get('x-svc-run-id') ?? '';
      const events = await scene.events(run_id);
      expect(ofType(events, 'error')).toMatchObject([{ data: { code } }]);
      expect(await scene.evidence(run_id)).toMatchObject([{ status: 'error' }]);
      const line = scene.gateway.output.split('\n').find((each) => each.includes('"provider_failed"') && each.includes(run_id));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ class: failure, status });
    });

    it('in a stream that began', async () => {
      const answer = await ask(door, true, frames([chunk({ content: 'a' }), { error }]));
      expect(answer.status).toBe(200);
      const last = lastOf(answer.text);
      if (door === 'responses') expect(last).toMatchObject({ type: 'response.failed', response: { error: failed } });
      else expect(last).toMatchObject({ error: told.error });
      // Clients look at the first key alone.
      if (door === 'chat') expect(Object.keys(last)[0]).toBe('error');
      expect(answer.text).not.toContain(MARKER);
    });
  });
});

it('a request whose output alone is too large gets an error with all numbers', async () => {
  const message =
    "This model's maximum context length is 4097 tokens. However, you requested 4927 tokens (3927 in the messages, 1000 in the completion).";
  const refusal = raw(400, JSON_HEADERS, JSON.stringify({ error: { message } }));
  const chat = await ask('chat', false, refusal);
  expect(chat.body.error?.message).toContain('4927 tokens (3927 in the messages, 1000 in the completion)');
  const messages = await ask('messages', false, refusal);
  const said = String(messages.body.error?.message);
  expect(said).toMatch(/^prompt is too long: 4927 tokens > 4097 maximum/);
  expect(said).toContain('input length and `max_tokens` exceed context limit: 3927 + 1000 > 4097');
});

it('no circuit opens for requests that are too long, whatever the status', async () => {
  expect((await ask('chat', false, answer('closes it'))).status).toBe(200);
  const error = { code: 500, type: 'exceed_context_size_error', message: 'x', n_prompt_tokens: 5, n_ctx: 4 };
  for (let each = 0; each < 7; each += 1)
    expect((await ask('chat', false, raw(500, JSON_HEADERS, JSON.stringify({ error })))).status).toBe(400);
  expect((await scene.gateway.get('/metrics')).text).not.toMatch(/svc_upstream_circuit_open\{[^}]*\} 1/);
});
