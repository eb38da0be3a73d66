import { responses } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const PIPELINE = { ingress: ['mask', 'policy'], egress: ['mask'] };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(responses.answer());
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      providers: { local: { type: 'echo' }, upstream: { type: 'openai', api: 'responses', base_url: upstream.url } },
      routes: {
        default: { provider: 'local', model: 'echo-1', pipeline: PIPELINE },
        native: { provider: 'upstream', model: 'gpt-test-1', pipeline: PIPELINE },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const client = (principal = 'alice') =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key(principal), maxRetries: 0 });
const NOT_THERE = { status: 404, code: 'SVC-RUN-001' };

const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAAABencrypted' };
/** What its vendor stores is not what can be read here. */
const THINKS = { output: [REASONING, responses.messageItem('for ACC-9')], metadata: { new: [1] }, store: false };
const thinks = () => upstream.respond(responses.answer(THINKS));

it.each([
  ['default', false],
  ['default', true],
  ['native', false],
  ['native', true],
])('on route %s (streamed: %s) a response is returned as its caller got it, and can be erased', async (model, streamed) => {
  const { responses: api } = client();
  if (model === 'native') thinks();
  const earlier = await api.create({ model, input: 'pay ACC-1' });
  if (model === 'native') thinks();
  const asked = { model, input: 'and ACC-2', previous_response_id: earlier.id };
  let got: object = {};
  if (streamed) {
    for await (const event of await api.create({ ...asked, stream: true }))
      if (event.type === 'response.completed') got = event.response;
  } else {
    const { output_text: _, ...whole } = await api.create(asked);
    got = whole;
  }
  const { id } = got as { id: string };
  const { output_text: text, ...told } = await api.retrieve(id);
  expect(told).toEqual(got);
  expect(told).toMatchObject({ previous_response_id: earlier.id, store: true, model });
  expect(text).toContain('<ACCOUNT>');
  expect(JSON.stringify(told)).not.toContain('encrypted_content');

  expect(await api.delete(id)).toEqual({ id, object: 'response', deleted: true });
  await expect(api.retrieve(id)).rejects.toMatchObject(NOT_THERE);
  await expect(api.delete(id)).rejects.toMatchObject(NOT_THERE);
  await expect(api.create({ model, input: 'more', previous_response_id: id })).rejects.toMatchObject(NOT_THERE);
  const { events } = (await gateway.get(`/v1/runs/${id.slice('resp_'.length)}`)).body;
  expect(events.some(({ event_type }: { event_type: string }) => event_type === 'erased')).toBe(true);
  expect((await api.retrieve(earlier.id)).id).toBe(earlier.id);
});

it('a response of another caller, of another run or of a stop is not returned', async () => {
  const { responses: api } = client();
  const own = await api.create({ model: 'default', input: 'mine' });
  const stopped = await api.create({ model: 'default', input: 'forbidden' });
  const paused = await api.create({ model: 'default', input: 'a wire transfer' });
  const chat = await client().chat.completions.create({ model: 'default', messages: [{ role: 'user', content: 'x' }] });
  const chatRun = `resp_${chat.id.slice('chatcmpl-'.length)}`;
  const details = new Set<unknown>();
  const notThere = async (id: string, principal = 'alice') => {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await gateway.request(method, `/v1/responses/${id}`, { principal });
      expect([status, body.code, body.error.code]).toEqual([404, 'SVC-RUN-001', 'SVC-RUN-001']);
      details.add(body.detail);
    }
  };
  await notThere(own.id, 'bob');
  for (const id of ['resp_x', 'x', own.id.slice('resp_'.length), stopped.id, paused.id, chatRun]) await notThere(id);
  // Nobody learns which of them it is.
  expect(details.size).toBe(1);
  expect((await api.retrieve(own.id)).output_text).toContain('mine');
});

it('a response of a run that continued after its approval is returned, even if content is not recorded', async () => {
  const other = await TestGateway.start({ here: true, config: echoConfig() });
  try {
    const paused = await other.post('/v1/responses', { model: 'default', input: 'a wire transfer' });
    await other.post(`/v1/runs/${paused.body.svc_run_id}/resume`, { decision: 'approved' }, 'bob');
    const { status, body } = await other.get(`/v1/responses/${paused.body.id}`);
    expect([status, body.id, body.status, body.store]).toEqual([200, paused.body.id, 'completed', false]);
    expect(body.output[0].content[0].text).toContain('a wire transfer');
    const unkept = await other.post('/v1/responses', { model: 'default', input: 'hello' });
    expect((await other.get(`/v1/responses/${unkept.body.id}`)).status).toBe(404);
  } finally {
    await other.dispose();
  }
});

it('unsupported paths are refused, with what to do instead', async () => {
  const { responses: api } = client();
  const { id } = await api.create({ model: 'default', input: 'hello' });
  await expect(api.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 400, code: 'SVC-REQ-001', param: 'stream' });
  const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
  await expect(api.retrieve(id, { include })).rejects.toMatchObject({ status: 400, code: 'SVC-REQ-001', param: 'include' });
  expect((await api.retrieve(id, { stream: false })).id).toBe(id);
  await expect(api.inputItems.list(id)).rejects.toMatchObject({
    status: 404,
    code: 'SVC-REQ-003',
    message: expect.stringContaining('/v1/runs/{run_id}/request'),
  });
  await expect(api.cancel(id)).rejects.toMatchObject({ status: 404, code: 'SVC-REQ-003' });
  await expect(api.compact({ model: 'gpt-5', input: 'hello' })).rejects.toMatchObject({
    status: 404,
    code: 'SVC-REQ-003',
    message: expect.stringContaining('compaction_trigger'),
  });
});
