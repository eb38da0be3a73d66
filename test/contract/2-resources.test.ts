import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { canonical } from '../harness/canonical.ts';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const bounded = { provider: 'local', model: 'echo-1', approvers: ['bob'], pipeline: { ingress: ['policy'], egress: [] } };
  const waiting = { ...bounded, approvers: [], approval_wait_ms: 60_000 };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes: { bounded, waiting } }) });
});
afterAll(() => gateway.dispose());

const ROUTES = ['default', 'bounded', 'waiting'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

describe('2 Run', () => {
  it('carries run_id, route, principal_id, status, approvers, events, config_digest', async () => {
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] });
    const run = await gateway.get(`/v1/runs/${body.run_id}`, 'bob');
    expect(Object.keys(run.body).sort()).toEqual([
      'approvers',
      'config_digest',
      'events',
      'principal_id',
      'route',
      'run_id',
      'status',
    ]);
    expect(run.body).toMatchObject({ route: 'default', principal_id: 'alice', status: 'completed', approvers: [] });
    expect(run.body.run_id).toMatch(UUID);
    expect(run.body.config_digest).toMatch(DIGEST);
    expect(run.body.events).toEqual(body.events);
  });

  it('has a created_at that audit can filter by', async () => {
    const { body } = await gateway.get('/v1/audit?limit=1');
    expect(new Date(body.runs[0].created_at).toISOString()).toBe(body.runs[0].created_at);
  });
});

describe('2 Run event', () => {
  it('carries stage, node, event_type and data; a verdict event has the verdict in its data', async () => {
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'ACC-1' }] });
    for (const event of body.events) expect(Object.keys(event).sort()).toEqual(['data', 'event_type', 'node', 'stage']);
    const verdicts = body.events.filter((event: JsonObject) => event.event_type === 'verdict');
    expect(
      verdicts.map(({ stage, node, data }: { stage: string; node: string; data: JsonObject }) => [stage, node, data.verdict]),
    ).toEqual([
      ['ingress', 'mask', 'sanitize'],
      ['ingress', 'policy', 'allow'],
      ['egress', 'mask', 'allow'],
    ]);
  });
});

describe('2 Route', () => {
  it('is listed as id, object, created, owned_by', async () => {
    const { body } = await gateway.get('/v1/models');
    expect(Object.keys(body).sort()).toEqual(['data', 'object']);
    expect(body.object).toBe('list');
    expect(body.data.map(({ id, object, owned_by }: JsonObject) => ({ id, object, owned_by }))).toEqual([
      { id: 'default', object: 'model', owned_by: 'risk-team' },
      { id: 'bounded', object: 'model', owned_by: 'svc' },
      { id: 'waiting', object: 'model', owned_by: 'svc' },
    ]);
    for (const model of body.data) expect(Number.isInteger(model.created)).toBe(true);
  });
});

describe('2 Chat completion response', () => {
  it('is a chat.completion with choices and usage, and the route as its model', async () => {
    const { body } = await gateway.chat('hello');
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'default',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
    });
    expect(body.id).toBeTypeOf('string');
    expect(Number.isInteger(body.created)).toBe(true);
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
  });

  it.each([
    ['blocked', 'this is forbidden'],
    ['paused', 'a wire transfer'],
  ])('has finish_reason content_filter when the run was %s', async (status, content) => {
    const { body, headers, status: http } = await gateway.chat(content);
    expect([http, body.object]).toEqual([200, 'chat.completion']);
    expect(body).toMatchObject({ svc_event: status, choices: [{ finish_reason: 'content_filter' }] });
    expect(body.svc_run_id).toBe(headers.get('x-svc-run-id'));
    expect((await gateway.get(`/v1/runs/${body.svc_run_id}`)).body.status).toBe(status);
  });

  it('has finish_reason content_filter when the run was denied', async () => {
    const chat = gateway.chat('a wire transfer', { model: 'waiting' });
    const run_id = await decideOnNext(gateway, 'waiting', 'denied');
    const { body, status } = await chat;
    expect([status, body.object, body.svc_run_id]).toEqual([200, 'chat.completion', run_id]);
    expect(body).toMatchObject({ svc_event: 'denied', choices: [{ finish_reason: 'content_filter' }] });
    expect((await gateway.get(`/v1/runs/${body.svc_run_id}`)).body.status).toBe('denied');
  });
});

describe('2 Chat completion chunk', () => {
  it('is sent as text/event-stream and ends with [DONE]', async () => {
    const { text, headers } = await gateway.chat('hello', { stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const frames = text.trim().split('\n\n');
    expect(frames.at(-1)).toBe('data: [DONE]');
    for (const frame of frames.slice(0, -1))
      expect(JSON.parse(frame.slice('data: '.length)).object).toBe('chat.completion.chunk');
  });
});

describe('2 Ledger record', () => {
  it('has a seq from 1 without gaps, prev_hash from genesis on, and a hash over its canonical JSON without hash', async () => {
    await gateway.chat('hello');
    const records = await gateway.ledger();
    let previous = 'genesis';
    for (const [index, record] of records.entries()) {
      const { hash, ...body } = record;
      expect(record.seq).toBe(index + 1);
      expect(record.prev_hash).toBe(previous);
      expect(hash).toBe(`sha256:${createHash('sha256').update(canonical(body)).digest('hex')}`);
      previous = String(hash);
    }
    expect(records.length).toBeGreaterThan(2);
  });

  it('is of record_type model_inventory or run_evidence', async () => {
    const types = new Set((await gateway.ledger()).map(({ record_type }) => record_type));
    expect(types).toEqual(new Set(['model_inventory', 'run_evidence']));
  });

  it('is served byte for byte in canonical form', async () => {
    const { text, body } = await gateway.get('/v1/audit/ledger');
    expect(text).toBe(`{"records":[${body.records.map(canonical).join(',')}]}`);
  });
});

describe('2 Ledger record: model_inventory', () => {
  it('is listed after a seq', async () => {
    const listed = async (query: string) => (await gateway.get(`/v1/audit/inventory?${query}`)).body.records;
    const all = await listed('since_seq=0');
    expect(all).toEqual(await listed(''));
    expect(await listed(`since_seq=${all[0].seq}`)).toEqual(all.slice(1));
    for (const wrong of ['-1', 'x'])
      expect(await gateway.get(`/v1/audit/inventory?since_seq=${wrong}`)).toMatchObject({
        status: 400,
        body: { code: 'SVC-REQ-001' },
      });
  });

  it('has every field, null or empty where unknown', async () => {
    const { body } = await gateway.get('/v1/audit/inventory?route=default');
    expect(body.records[0]).toMatchObject({
      record_type: 'model_inventory',
      model_id: 'default',
      model_name: 'echo-1',
      model_description: null,
      model_risk_rating: 'high',
      model_owner: 'risk-team',
      model_developer: 'echo',
      model_version: null,
      data_sources: [],
      approved_uses: {},
      model_limitations: [],
      monitoring_status: '',
      date_of_most_recent_review: null,
      svc_config_path: `${gateway.folder}/svc.yaml`,
    });
    const { date_of_deployment, next_review_date, model_dependencies, model_origin } = body.records[0];
    expect(model_origin).toContain('eu');
    expect(model_dependencies).toContain('@svc/guard-rules@2.0.0-alpha.1');
    const days = (Date.parse(next_review_date) - Date.parse(date_of_deployment.slice(0, 10))) / 86_400_000;
    expect(days).toBe(90);
    const { text } = await gateway.get('/metrics', null);
    const due = `svc_route_next_review_timestamp_seconds{route="default"} ${Date.parse(next_review_date) / 1000}`;
    expect(text.split('\n')).toContain(due);
  });

  it('is emitted once a route at startup; an unchanged definition keeps its date of deployment', async () => {
    const before = (await gateway.get('/v1/audit/inventory')).body.records;
    expect(before.map(({ model_id }: JsonObject) => model_id)).toEqual(ROUTES);
    await gateway.stop();
    await gateway.launch();
    const after = (await gateway.get('/v1/audit/inventory')).body.records;
    expect(after.map(({ model_id }: JsonObject) => model_id)).toEqual([...ROUTES, ...ROUTES]);
    expect(after[ROUTES.length].date_of_deployment).toBe(before[0].date_of_deployment);
  });
});

describe('2 Ledger record: run_evidence', () => {
  it.each([
    ['completed', 'hello'],
    ['blocked', 'this is forbidden'],
  ])('is emitted once for a %s run, with every field', async (status, content) => {
    const run_id = (await gateway.chat(content)).headers.get('x-svc-run-id');
    const evidence = (await gateway.ledger()).filter((record) => record.run_id === run_id);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]).toMatchObject({
      record_type: 'run_evidence',
      model_id: 'default',
      model_version: null,
      principal_id: 'alice',
      status,
      approver: null,
    });
    expect(Date.parse(String(evidence[0]?.completed_at))).toBeGreaterThanOrEqual(Date.parse(String(evidence[0]?.created_at)));
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.events).toEqual(evidence[0]?.events);
  });

  it('is emitted for a denied run, with the approver', async () => {
    const { body } = await gateway.chat('a wire transfer', { model: 'bounded' });
    await gateway.post(`/v1/runs/${body.svc_run_id}/resume`, { decision: 'denied' }, 'bob');
    const evidence = (await gateway.ledger()).filter((record) => record.run_id === body.svc_run_id);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]).toMatchObject({ status: 'denied', approver: { principal_id: 'bob', decision: 'denied' } });
  });

  it('is not emitted while a run is paused', async () => {
    const { body } = await gateway.chat('a wire transfer');
    expect((await gateway.ledger()).filter((record) => record.run_id === body.svc_run_id)).toHaveLength(0);
  });
});

describe('2 Audit report', () => {
  it('has generated_at, inventory, run_stats by status and chain_length', async () => {
    const { body } = await gateway.get('/v1/audit/report');
    expect(Object.keys(body).sort()).toEqual(['chain_length', 'generated_at', 'inventory', 'run_stats']);
    expect(body.inventory.map(({ model_id }: JsonObject) => model_id)).toEqual(ROUTES);
    expect(body.chain_length).toBe((await gateway.ledger()).length);
    expect(body.run_stats).toMatchObject({ pending: 0, running: 0, error: 0 });
    expect(body.run_stats.completed).toBeGreaterThan(0);
  });
});

describe('2 Health', () => {
  it('has status, config_digest and config_path', async () => {
    const { body } = await gateway.get('/v1/health');
    expect(body).toEqual({
      status: 'ok',
      config_digest: expect.stringMatching(DIGEST),
      config_path: `${gateway.folder}/svc.yaml`,
    });
  });
});

describe('2 RAG document', () => {
  it('carries id, text and metadata', async () => {
    const rag = { vectors: { type: 'local' }, embedder: { type: 'local' } };
    const configured = await TestGateway.start({ here: true, config: echoConfig({ rag }) });
    onTestFinished(() => configured.dispose());
    const document = { text: 'A text.', metadata: { source: 'a page', tags: ['x', 1, null] } };
    const indexed = await configured.post('/v1/rag/index', { namespace: 'docs', documents: [document, { text: 'Another.' }] });
    expect([indexed.status, indexed.body]).toEqual([200, { indexed: 2, namespace: 'docs' }]);
    const found = await configured.post('/v1/rag/query', { namespace: 'docs', query: 'text', k: 1 });
    const docs = [{ id: expect.stringMatching(/^[0-9a-f]{64}$/), ...document }];
    expect([found.status, found.body]).toEqual([200, { namespace: 'docs', docs }]);
  });
});
