import { RESPONSES } from '@svc/protocols';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { continueRun } from '../../host/src/http/doors/continue-run.ts';
import { answer, held, startUpstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { OpenGateway } from '../harness/open-gateway.ts';

const PIPELINE = { ingress: ['mask', 'policy'], egress: ['mask'] };

let gateway: TestGateway;
beforeAll(async () => {
  const routes = echoConfig().routes;
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      routes: { ...routes, other: { provider: 'local', model: 'echo-1', pipeline: PIPELINE } },
    }),
  });
});
afterAll(() => gateway.dispose());

const ask = (input: unknown, more: object = {}, principal = 'alice'): Promise<Answer> =>
  gateway.post('/v1/responses', { model: 'default', input, ...more }, principal);
const runOf = ({ body }: Answer): string => body.id.slice('resp_'.length);
/** What the model was sent. */
const sentIn = async (answer: Answer) => (await gateway.get(`/v1/runs/${runOf(answer)}/request`)).body;
const user = (content: string) => ({ type: 'message', role: 'user', content });
/** An item of an answer. */
const said = (text: string) => ({
  id: expect.stringMatching(/^msg_/),
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

describe('a response that continues another', () => {
  it('is preceded by its input and output, masked as before, over several turns', async () => {
    const first = await ask('pay ACC-1', { instructions: 'Be brief.' });
    expect(first.body).toMatchObject({ status: 'completed', store: true, previous_response_id: null });
    const second = await ask('and ACC-2', { previous_response_id: first.body.id });
    expect(second.body).toMatchObject({ status: 'completed', previous_response_id: first.body.id });
    const third = await ask('thanks', { previous_response_id: second.body.id, instructions: 'Be kind.' });
    const sent = await sentIn(third);
    expect(sent.messages).toEqual([
      user('pay <ACCOUNT>'),
      said('echo: pay <ACCOUNT>'),
      user('and <ACCOUNT>'),
      said('echo: and <ACCOUNT>'),
      user('thanks'),
    ]);
    expect(sent.parameters.instructions).toBe('Be kind.');
    const [, one, , other] = sent.messages;
    expect(one.id).not.toBe(other.id);
  });

  it('may be streamed, and may continue a stream', async () => {
    const events = (answer: Answer) => [...answer.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)));
    const first = events(await ask('one', { stream: true })).at(-1);
    expect(first).toMatchObject({ type: 'response.completed', response: { store: true } });
    const second = events(await ask('two', { stream: true, previous_response_id: first.response.id })).at(-1);
    expect(second.response).toMatchObject({ status: 'completed', previous_response_id: first.response.id });
    const { body } = await gateway.get(`/v1/runs/${second.response.svc_run_id}/request`);
    expect(body.messages).toHaveLength(3);
  });

  it('is shown to the guards as a whole', async () => {
    const first = await ask([{ role: 'user', content: 'hello' }]);
    const before = await gateway.get(`/v1/runs/${runOf(first)}`);
    const second = await ask('again', { previous_response_id: first.body.id });
    const after = await gateway.get(`/v1/runs/${runOf(second)}`);
    const looked = ({ body }: Answer) =>
      body.events.find(
        ({ event_type, node }: { event_type: string; node: string }) => event_type === 'verdict' && node === 'mask',
      ).data.scanned.segments;
    expect(looked(after)).toBeGreaterThan(looked(before));
  });

  it('of a run that waited, once that is approved', async () => {
    const paused = await ask('a wire transfer');
    expect(paused.body).toMatchObject({ status: 'completed', svc_event: 'paused' });
    expect((await ask('well?', { previous_response_id: paused.body.id })).status).toBe(404);
    await gateway.post(`/v1/runs/${runOf(paused)}/resume`, { decision: 'approved' }, 'bob');
    const again = await ask('well?', { previous_response_id: paused.body.id });
    // The guard looks at all of it again.
    expect(again.body).toMatchObject({ svc_event: 'paused', previous_response_id: paused.body.id });
  });
});

describe('gives the same error for', () => {
  const UNKNOWN = { status: 404, body: { code: 'SVC-RUN-001', error: { type: 'not_found_error', code: 'SVC-RUN-001' } } };
  let detail: string | undefined;
  const expectUnknown = (answer: Answer): void => {
    expect(answer).toMatchObject(UNKNOWN);
    detail ??= answer.body.detail;
    expect(answer.body.detail).toBe(detail);
    expect(answer.headers.get('x-svc-run-id')).toBeNull();
  };
  const continued = (answer: Answer, more: object = {}, principal = 'alice') =>
    ask('more', { previous_response_id: answer.body.id, ...more }, principal);

  it('an unknown or malformed id', async () => {
    for (const previous_response_id of ['resp_01890000-0000-7000-8000-000000000000', 'resp_1', '', 'x'.repeat(300)])
      expectUnknown(await ask('more', { previous_response_id }));
  });

  it("another principal's, another route's, another protocol's", async () => {
    const own = await ask('mine');
    expectUnknown(await continued(own, {}, 'bob'));
    expectUnknown(await continued(own, { model: 'other' }));
    const { headers } = await gateway.chat('hello');
    expectUnknown(await ask('more', { previous_response_id: `resp_${headers.get('x-svc-run-id')}` }));
    expect((await continued(own)).status).toBe(200);
  });

  it('a response that was blocked, not stored, or erased', async () => {
    expectUnknown(await continued(await ask('forbidden')));
    const unstored = await ask('hello', { store: false });
    expect(unstored.body.store).toBe(false);
    expectUnknown(await continued(unstored));
    const erased = await ask('hello');
    expect((await continued(erased)).status).toBe(200);
    expect((await gateway.request('DELETE', `/v1/runs/${runOf(erased)}/content`)).status).toBe(200);
    expectUnknown(await continued(erased));
  });
});

it('that an earlier release stored in the chat format is converted and stored again', async () => {
  const open = await OpenGateway.start({}, { record_content: true });
  try {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const messages = [
      { role: 'system', content: 'of its own' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'I call.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ] as const;
    const request = { model: 'default', messages: [...messages] };
    const { row } = await open.start('hello', { request, conversation: { from: 1 } });
    const asked = { model: 'default', input: 'and now?' };
    const bytes = { fitsAlone: () => true, grow: () => true, weigh: () => true };
    const { continued, lost } = await continueRun(
      { protocol: RESPONSES, request: asked },
      { run_id: row.run_id, at: 0 },
      { bytes } as unknown as Parameters<typeof continueRun>[2],
      { principal_id: 'alice' } as Parameters<typeof continueRun>[3],
      row.route,
      { hold: () => undefined, release: () => undefined } as unknown as Parameters<typeof continueRun>[5],
      open.gateway,
    );
    expect(asked.input).toMatchObject([
      { type: 'message', role: 'user', content: 'hello' },
      { role: 'assistant' },
      { type: 'function_call', call_id: 'call_1', name: 'f' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
      { role: 'assistant' },
      { role: 'user', content: 'and now?' },
    ]);
    // Nobody keeps it as it stands now.
    expect(continued).toEqual({ run_id: row.run_id, at: 0, links: [] });
    expect(lost).toEqual([]);
  } finally {
    await open.dispose();
  }
});

it('is refused if nothing is stored, whatever `store` says, and the error names the setting', async () => {
  const other = await TestGateway.start({ here: true, config: echoConfig() });
  try {
    const first = await other.post('/v1/responses', { model: 'default', input: 'hello', store: true });
    expect(first.body.store).toBe(false);
    const body = { model: 'default', input: 'more', previous_response_id: first.body.id };
    const refused = await other.post('/v1/responses', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(refused.body.detail).toContain('server.record_content');
  } finally {
    await other.dispose();
  }
});

it('counts its bytes like a body of the same size', async () => {
  const server = { record_content: true, body_limit_bytes: 1_048_576, max_bytes_in_flight: 1_048_576 };
  const small = await TestGateway.start({ here: true, config: echoConfig({ server }) });
  try {
    const body = { model: 'default', input: 'many words '.repeat(50_000) };
    const first = await small.post('/v1/responses', body);
    expect(first.body.status).toBe('completed');
    const second = { model: 'default', input: 'more', previous_response_id: first.body.id };
    // However often it is asked, there is no room for it.
    expect(await small.post('/v1/responses', second)).toMatchObject({ status: 413, body: { code: 'SVC-REQ-002' } });
  } finally {
    await small.dispose();
  }
});

it('reserves memory for its values before it is parsed; if refused, no run is created', async () => {
  const upstream = await startUpstream();
  const server = { record_content: true, body_limit_bytes: 1_048_576, max_bytes_in_flight: 1_048_576 };
  const config = echoConfig({
    server,
    providers: { upstream: { type: 'openai', base_url: upstream.url } },
    routes: { default: { provider: 'upstream', model: 'm', pipeline: { ingress: [], egress: [] } } },
  });
  const small = await TestGateway.start({ here: true, config });
  try {
    // 120 kB, and 12,000 values of 64 bytes each.
    const input = Array.from({ length: 4_000 }, () => ({ role: 'user', content: 'x' }));
    const first = await small.post('/v1/responses', { model: 'default', input });
    expect(first.body.status).toBe('completed');
    const slow = held(answer('late'));
    upstream.respond(slow.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const other = small.chat('x'.repeat(600_000));
    await asked;
    const second = { model: 'default', input: 'more', previous_response_id: first.body.id };
    const refused = await small.post('/v1/responses', second);
    expect(refused).toMatchObject({ status: 503, body: { code: 'SVC-BUSY-001' } });
    expect(refused.headers.get('x-svc-run-id')).toBeNull();
    slow.release();
    expect((await other).status).toBe(200);
    expect((await small.post('/v1/responses', second)).body.status).toBe('completed');
  } finally {
    await small.dispose();
    await upstream.close();
  }
});

it('is shown to guards part by part as it is decrypted, and no further part is read once one is refused', async () => {
  const open = await OpenGateway.start({}, { record_content: true });
  try {
    const { row } = await open.start('hello', { conversation: { from: 0 } });
    const { stored } = open.runs;
    const shown: unknown[] = [];
    const admit = (json: Uint8Array) => shown.push(JSON.parse(Buffer.from(json).toString()));
    expect(await stored.conversation(row.run_id, 'alice', row.route, admit)).not.toBeNull();
    expect(shown).toMatchObject([{ messages: [{ content: 'hello' }] }, { choices: [{ message: { content: 'answer' } }] }]);
    shown.length = 0;
    const full = new Error('full');
    const refuse = (json: Uint8Array) => {
      admit(json);
      throw full;
    };
    await expect(stored.conversation(row.run_id, 'alice', row.route, refuse)).rejects.toBe(full);
    expect(shown).toHaveLength(1);
  } finally {
    await open.dispose();
  }
});

it('does not exist once its content has expired', async () => {
  const open = await OpenGateway.start({}, { record_content: true, retention_ms: 60_000 });
  try {
    const { row } = await open.start('hello', { conversation: { from: 0 } });
    const found = () => open.runs.stored.conversation(row.run_id, 'alice', row.route, () => undefined);
    expect(await found()).toMatchObject({ turns: [{ content: 'hello' }, { content: 'answer' }] });
    open.clock.advance(60_001);
    expect(await found()).toBeNull();
  } finally {
    await open.dispose();
  }
});
