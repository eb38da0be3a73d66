import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';

const SCHEMA = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false };
const GOOD = '{"total": 12.5}';
const BAD = '{"total": "MARKER-7"}';

let upstream: Upstream;
let gateway: TestGateway;
const config = (packs: JsonObject = {}) => {
  const all: JsonObject = {
    any: { type: 'schema' },
    invoice: { type: 'schema', schema: SCHEMA },
    asks: { type: 'schema', schema: SCHEMA, verdict: 'require_approval' },
    first: { type: 'schema', schema: SCHEMA, choices: 'first' },
    tools: { type: 'schema', allow_no_text: true },
    watch: { type: 'schema', schema: SCHEMA, mode: 'observe' },
    ...packs,
  };
  const provider = { type: 'openai', base_url: upstream.url, timeout_ms: 5000 };
  const route = (pack: string) => ({ provider: 'up', model: 'm-1', pipeline: { ingress: [], egress: [pack] } });
  return echoConfig({
    providers: { up: provider },
    packs: all,
    routes: Object.fromEntries(Object.keys(all).map((name) => [name, route(name)])),
  });
};
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({ here: true, config: config() });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function asked(model: string, ...texts: string[]) {
  const completion = completionOf({}, 'x');
  const choices = texts.map((content, index) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' }));
  upstream.respond(answer({ ...completion, choices }));
  const { body, headers } = await gateway.chat('hello', { model, ...(texts.length > 1 ? { n: texts.length } : {}) });
  const run_id = headers.get('x-svc-run-id');
  const run = (await gateway.get(`/v1/runs/${run_id}`)).body;
  const event = run.events.find(({ stage, node }: JsonObject) => stage === 'egress' && node === model);
  return { run_id, status: run.status, type: event?.event_type, event: event?.data, body, text: body.choices[0].message.content };
}

it.each([
  ['any', GOOD, 'completed', 'well-formed'],
  ['any', BAD, 'completed', 'well-formed'],
  ['any', 'Sure! {"total": 1}', 'blocked', 'not-json'],
  ['invoice', GOOD, 'completed', 'well-formed'],
  ['invoice', BAD, 'blocked', 'schema-mismatch'],
  ['asks', BAD, 'paused', 'schema-mismatch'],
])('%s: the answer %s is %s', async (pack, text, status, code) => {
  const run = await asked(pack, text);
  expect([run.status, run.event.code]).toEqual([status, code]);
  if (status === 'completed') expect(run.text).toBe(text);
  else expect(JSON.stringify([run.body, run.event])).not.toContain(text.slice(0, 9).replaceAll('"', '\\"'));
});

it('the event names the place in the schema and nothing of the answer', async () => {
  const { event, body } = await asked('invoice', BAD);
  expect(event.findings).toEqual([{ entity_type: 'properties.total.type', count: 1 }]);
  expect(JSON.stringify([event, body])).not.toContain('MARKER-7');
  expect(gateway.output).not.toContain('MARKER-7');
});

it('an approver may release the answer', async () => {
  const { run_id } = await asked('asks', BAD);
  expect((await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob')).body).toMatchObject({
    status: 'completed',
    response: BAD,
  });
});

it.each([
  ['invoice', 'blocked'],
  ['first', 'completed'],
])('%s: of several answers the second is wrong: %s', async (pack, status) => {
  expect((await asked(pack, GOOD, BAD)).status).toBe(status);
});

it('in observe mode, it records and passes the answer', async () => {
  const run = await asked('watch', BAD);
  expect([run.status, run.text, run.type, run.event.verdict]).toEqual(['completed', BAD, 'observed', 'block']);
});

describe('tool calls without text', () => {
  const calling = () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    return answer({ ...completionOf({}, 'x'), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
  };
  beforeEach(() => upstream.respond(calling()));

  it.each([
    ['any', 'content_filter'],
    ['tools', 'tool_calls'],
  ])('%s: %s', async (model, reason) => {
    expect((await gateway.chat('hello', { model })).body.choices[0].finish_reason).toBe(reason);
  });
});

describe('a streamed answer', () => {
  it('is sent once it has been judged', async () => {
    upstream.respond(answer(GOOD));
    const { frames, done } = await readStream(gateway, 'hello', { model: 'invoice' });
    expect([textOf(frames), done]).toEqual([GOOD, true]);
  });

  it('is not sent at all if it does not match', async () => {
    upstream.respond(answer(BAD));
    const { frames, raw } = await readStream(gateway, 'hello', { model: 'invoice' });
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ svc_event: 'blocked', choices: [{ finish_reason: 'content_filter' }] });
    expect(raw).not.toContain('MARKER-7');
  });
});

it('a schema comes from a file beside the configuration; an invalid one prevents the start and names the key', async () => {
  const packs = { filed: { type: 'schema', schema_file: 'schemas/invoice.json' } };
  const other = await TestGateway.start({ here: true, config: config() });
  try {
    const saved = JSON.parse(JSON.stringify(config(packs)));
    await other.stop();
    await other.configure({ ...saved, auth: { keys: [] } });
    await expect(other.launch()).rejects.toThrow(/SVC-POL-001 packs\.filed: .*schema_file: cannot be read \(ENOENT\)/);
    await writeFile(join(other.folder, 'invoice.json'), JSON.stringify(SCHEMA));
    await other.configure({ ...JSON.parse(JSON.stringify(saved).replace('schemas/', './')), auth: { keys: [] } });
    await other.launch();
    expect((await other.request('GET', '/v1/health', { principal: null })).status).toBe(401);
  } finally {
    await other.dispose();
  }
});
