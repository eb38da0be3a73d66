import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

const FORMS = ['text', 'refusal', 'error'] as const;
type Form = (typeof FORMS)[number];

let gateway: TestGateway;
beforeAll(async () => {
  const pipeline = { ingress: ['policy'], egress: ['halt', 'late'] };
  const route = (stops: Form, more: JsonObject = {}) => ({ provider: 'local', model: 'echo-1', pipeline, stops, ...more });
  const blocking = (name: string, words: string, stream: string) => ({
    type: 'rules',
    stream,
    rules: [{ name, words: [words], verdict: 'block' }],
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { halt: blocking('halted', 'stop here', 'window'), late: blocking('delayed', 'too late', 'post') },
      routes: {
        ...Object.fromEntries(FORMS.map((form) => [form, route(form)])),
        ...Object.fromEntries(FORMS.map((form) => [`${form}-waits`, route(form, { approval_wait_ms: 60_000 })])),
      },
    }),
  });
});
afterAll(() => gateway.dispose());

/** What stops a run, and what its stream says of it. In a whole answer a guard of `egress` blocks. */
const STOPS = [
  { kind: 'blocked', says: 'forbidden', by: '"policy" (forbidden)', partly: false },
  { kind: 'paused', says: 'a wire transfer', by: '"policy" (wire)', partly: false },
  { kind: 'denied', says: 'a wire transfer', by: '"policy" (wire)', partly: false },
  { kind: 'stream_violation', says: 'one two three four, please stop here', by: '"halt" (halted)', partly: true },
  { kind: 'late_violation', says: 'one two three, too late', by: '"late" (delayed)', partly: true },
] as const;
type Stop = (typeof STOPS)[number];

const DOORS = {
  chat: (model: string, content: string) => ({ path: 'chat/completions', model, messages: [{ role: 'user', content }] }),
  responses: (model: string, input: string) => ({ path: 'responses', model, input }),
  messages: (model: string, content: string) => ({
    ...{ path: 'messages', model, max_tokens: 64 },
    messages: [{ role: 'user', content }],
  }),
};
type Door = keyof typeof DOORS;

const CASES = STOPS.flatMap((stop) =>
  FORMS.flatMap((form) => [false, true].map((stream) => ({ ...stop, form, stream, name: `${stop.kind}, ${form}` }))),
);
type Case = (typeof CASES)[number];

async function ask(door: Door, { form, kind, says, stream }: Case, more: JsonObject = {}): Promise<Answer> {
  const model = kind === 'denied' ? `${form}-waits` : form;
  const { path, ...body } = DOORS[door](model, says);
  const asked = gateway.post(`/v1/${path}`, { ...body, ...more, stream });
  if (kind === 'denied') await decideOnNext(gateway, model, 'denied');
  return asked;
}

/** The objects of a stream, in order. */
function eventsOf({ text }: Answer): JsonObject[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as JsonObject);
}

const joined = (texts: readonly unknown[]): string => texts.map((text) => text ?? '').join('');

/** What is read of an answer, by the field of each protocol that a reader of refusals, or of texts, looks at. */
const READERS: Record<Door, (answer: Answer, stream: boolean) => { text: string; refusal: string; end: JsonObject }> = {
  chat: (answer, stream) => {
    const frames = stream ? eventsOf(answer) : [answer.body];
    const parts = frames.map(({ choices }) => Object(choices)[0]).map(({ delta, message }) => delta ?? message);
    const { choices, svc_event, svc_run_id } = frames.at(-1) ?? {};
    return {
      text: joined(parts.map(({ content }) => content)),
      refusal: joined(parts.map(({ refusal }) => refusal)),
      end: { how: Object(choices)[0].finish_reason, svc_event, svc_run_id },
    };
  },
  responses: (answer, stream) => {
    const { status, incomplete_details, error, output, svc_event, svc_run_id } = stream
      ? Object(eventsOf(answer).at(-1)).response
      : answer.body;
    expect([incomplete_details, error]).toEqual([null, null]);
    const parts = output.flatMap(({ content }: JsonObject) => content);
    return {
      text: joined(parts.map(({ text }: JsonObject) => text)),
      refusal: joined(parts.map(({ refusal }: JsonObject) => refusal)),
      end: { how: status, svc_event, svc_run_id },
    };
  },
  messages: (answer, stream) => {
    const events = stream ? eventsOf(answer) : [];
    const last = stream ? events.find(({ type }) => type === 'message_delta') : answer.body;
    const { svc_event, svc_run_id } = last;
    const { stop_reason, stop_details } = stream ? last.delta : last;
    const text = stream
      ? joined(events.map(({ delta }) => Object(delta).text))
      : joined(answer.body.content.map((block: JsonObject) => block.text));
    return { text, refusal: stop_details?.explanation ?? '', end: { how: stop_reason, svc_event, svc_run_id } };
  },
};

const ENDS: Record<Door, Record<'text' | 'refusal', string>> = {
  chat: { text: 'content_filter', refusal: 'content_filter' },
  responses: { text: 'completed', refusal: 'completed' },
  messages: { text: 'end_turn', refusal: 'refusal' },
};

/** Where nothing has left, people read what to do in place of the answer; behind a part of it, they read it as its last paragraph. */
function expectReported(door: Door, { kind, by, form, partly, stream }: Case, answer: Answer): void {
  expect(answer.status).toBe(200);
  const { text, refusal, end } = READERS[door](answer, stream);
  const run_id = answer.headers.get('x-svc-run-id');
  const event = partly && !stream ? 'blocked' : kind;
  expect(end).toEqual({ how: ENDS[door][form === 'text' ? 'text' : 'refusal'], svc_event: event, svc_run_id: run_id });
  const told = form === 'text' ? text : refusal;
  expect(told).toContain(`guard ${by}`);
  expect(told).toContain(run_id);
  expect(told.includes(`${gateway.url}/approvals#run=${run_id}`)).toBe(kind === 'paused');
  const isAfterText = partly && stream;
  expect(text.startsWith('echo: one two')).toBe(isAfterText);
  if (form === 'text') {
    expect(refusal).toBe('');
    expect(text.split('\n\n')).toHaveLength(isAfterText ? 2 : 1);
  } else if (door !== 'messages' && !isAfterText) expect(text).toBe('');
}

/** Before anything has left, the status says it. */
function expectError(door: Door, { kind, by, partly, stream }: Case, answer: Answer): void {
  const code = kind === 'paused' ? 'SVC-RUN-009' : 'SVC-RUN-008';
  const begun = partly && stream;
  expect(answer.status).toBe(begun ? 200 : 400);
  const last = begun ? Object(eventsOf(answer).at(-1)) : answer.body;
  if (begun && door === 'responses') {
    expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: { code: 'invalid_prompt' } } });
  } else expect(last.error).toMatchObject({ code, type: 'invalid_request_error' });
  const message = (last.error ?? last.response.error).message;
  expect(message).toMatch(code);
  expect(message).toContain(`guard ${by}`);
  if (begun) return;
  expect(answer.headers.get('x-should-retry')).toBe('false');
  expect(answer.body).toMatchObject({ code, detail: message });
  expect(message).toContain(answer.headers.get('x-svc-run-id'));
}

describe.each(Object.keys(DOORS) as Door[])('a stop of %s', (door) => {
  it.each(CASES)('$name (streamed: $stream)', async (one) => {
    const answer = await ask(door, one);
    if (one.form === 'error') expectError(door, one, answer);
    else expectReported(door, one, answer);
    const run_id = answer.headers.get('x-svc-run-id');
    const status = one.partly ? 'blocked' : one.kind;
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.status).toBe(status);
  });
});

const named = (kind: Stop['kind'], stream: boolean): Case => {
  const found = CASES.find((one) => one.kind === kind && one.form === 'text' && one.stream === stream);
  if (found === undefined) throw new Error(kind);
  return found;
};

describe('a caller that requested JSON gets a refusal', () => {
  const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } };
  const { type, ...json_schema } = format;
  const asks: Record<Door, JsonObject> = {
    chat: { response_format: { type, json_schema } },
    responses: { text: { format } },
    messages: { output_config: { format: { type, schema: format.schema } } },
  };

  it.each([false, true])('at every door (streamed: %s)', async (stream) => {
    for (const door of Object.keys(asks) as Door[]) {
      const answer = await ask(door, named('paused', stream), asks[door]);
      expectReported(door, { ...named('paused', stream), form: 'refusal' }, answer);
    }
  });
});

it('a stopped stream has the events of any answer', async () => {
  const responses = eventsOf(await ask('responses', named('paused', true)));
  expect(responses.map(({ type }) => String(type).replace('response.', ''))).toEqual([
    ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'],
    ...['content_part.done', 'output_item.done', 'completed'],
  ]);
  const messages = eventsOf(await ask('messages', named('paused', true)));
  expect(messages.map(({ type }) => type)).toEqual([
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop'],
  ]);
  // To the letter of the specification.
  const { text } = await ask('chat', named('paused', true));
  expect(text).toMatch(/^data: \{[^\n]*"finish_reason":"content_filter"[^\n]*\n\ndata: \[DONE\]\n\n$/);
});

it.each([false, true])("the link has the host that the caller used, or a trusted proxy's: %s", async (trust_proxy) => {
  const one = await TestGateway.start({ here: true, config: echoConfig({ server: { trust_proxy } }) });
  const headers = { 'x-forwarded-host': 'gateway.example', 'x-forwarded-proto': 'https' };
  const body = { model: 'default', messages: [{ role: 'user', content: 'a wire transfer' }] };
  const { choices } = (await one.request('POST', '/v1/chat/completions', { body, headers })).body;
  const origin = trust_proxy ? 'https://gateway.example' : one.url;
  expect(choices[0].message.content).toContain(`${origin}/approvals#run=`);
  await one.dispose();
});

it('GET /v1/routes says which form a route has', async () => {
  const { routes } = (await gateway.get('/v1/routes')).body;
  const forms = new Map(routes.map(({ name, stops }: JsonObject) => [name, stops]));
  expect([...FORMS, 'default'].map((name) => forms.get(name))).toEqual([...FORMS, 'text']);
});
