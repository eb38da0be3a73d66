import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const routeOf = (...egress: string[]) => ({ provider: 'local', model: 'echo-2', pipeline: { ingress: [], egress } });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { halt: { type: 'masker', word: 'ACC-9', verdict: 'block' } },
      routes: { other: routeOf(), halt: routeOf('halt') },
    }),
    packages: ['masker'],
  });
});
afterAll(() => gateway.dispose());

const run = (content: string, more: JsonObject = {}) =>
  gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });
const ids = (body: { runs: JsonObject[] }) => body.runs.map(({ run_id }) => run_id);

describe('4 POST /v1/chat/completions', () => {
  it('takes model (the route name), messages and stream; answers a chat completion', async () => {
    const { status, body, headers } = await gateway.chat('hello', { stream: false });
    expect(status).toBe(200);
    expect(body.object).toBe('chat.completion');
    expect(headers.get('x-svc-run-id')).toBeTruthy();
    expect(headers.get('x-svc-evidence')).toMatch(/^\d+ sha256:[0-9a-f]{64}$/);
  });

  it('x-svc-evidence names the record of the run', async () => {
    const { headers } = await gateway.chat('hello');
    const [seq, hash] = (headers.get('x-svc-evidence') ?? '').split(' ');
    const { body } = await gateway.get(`/v1/audit/ledger?since_seq=${Number(seq) - 1}&limit=1`);
    expect(body.records[0]).toMatchObject({ hash, run_id: headers.get('x-svc-run-id') });
  });

  it('with stream true answers text/event-stream of chunks ending in data: [DONE], the receipts in the last frame', async () => {
    const { text, headers } = await gateway.chat('hello', { stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const frames = text
      .trim()
      .split('\n\n')
      .map((frame) => frame.slice('data: '.length));
    expect(frames.at(-1)).toBe('[DONE]');
    const last = JSON.parse(frames.at(-2) ?? '');
    expect(last.svc_run_id).toBe(headers.get('x-svc-run-id'));
    expect(last.svc_evidence).toBe(headers.get('x-svc-evidence'));
  });

  it('a guard violation during streaming ends the stream with content_filter and svc_event', async () => {
    const { frames, done, run_id } = await readStream(gateway, 'a text that leaves, and ACC-9, and more', { model: 'halt' });
    expect(done).toBe(true);
    expect(textOf(frames)).toMatch(/^echo: a text/);
    expect(textOf(frames)).not.toMatch(/ACC|more/);
    expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation', choices: [{ finish_reason: 'content_filter' }] });
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.status).toBe('blocked');
  });
});

describe('4 GET /v1/models', () => {
  it('answers {object: "list", data} with one entry per route', async () => {
    const { body } = await gateway.get('/v1/models');
    expect(Object.keys(body).sort()).toEqual(['data', 'object']);
    expect(body.data.map(({ id }: JsonObject) => id)).toEqual(['default', 'other', 'halt']);
  });
});

describe('4 POST /v1/runs', () => {
  it('answers {run_id, status, response, principal_id, events}', async () => {
    const { status, body } = await run('hello');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['events', 'principal_id', 'response', 'run_id', 'status']);
    expect(body).toMatchObject({ status: 'completed', principal_id: 'alice' });
  });

  it('route defaults to default, approvers to nobody in particular, background to false', async () => {
    const { body } = await run('hello');
    expect((await gateway.get(`/v1/runs/${body.run_id}`)).body).toMatchObject({
      route: 'default',
      approvers: [],
      status: 'completed',
    });
  });

  it('takes another route and approvers', async () => {
    const { body } = await run('hello', { route: 'other', approvers: ['bob'] });
    expect((await gateway.get(`/v1/runs/${body.run_id}`)).body).toMatchObject({ route: 'other', approvers: ['bob'] });
  });

  it('an unknown route gives 404', async () => {
    expect(await run('hello', { route: 'nowhere' })).toMatchObject({ status: 404, body: { code: 'SVC-ROUTE-001' } });
  });

  it.each([{ colour: 'blue' }, { model: 'other' }, { stream: true }, { rout: 'default' }])('refuses %j', async (fields) => {
    expect(await run('hello', fields)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });
});

describe('4 GET /v1/runs/{run_id}', () => {
  it('answers {run_id, route, principal_id, status, approvers, events, config_digest}', async () => {
    const { body } = await run('hello');
    const read = (await gateway.get(`/v1/runs/${body.run_id}`, 'bob')).body;
    expect(Object.keys(read).sort()).toEqual([
      'approvers',
      'config_digest',
      'events',
      'principal_id',
      'route',
      'run_id',
      'status',
    ]);
    expect(read.events).toEqual(body.events);
  });

  it('an unknown run gives 404', async () => {
    expect(await gateway.get('/v1/runs/00000000-0000-7000-8000-000000000000')).toMatchObject({
      status: 404,
      body: { code: 'SVC-RUN-001' },
    });
  });
});

describe('4 POST /v1/runs/{run_id}/resume', () => {
  it('takes {decision} and answers {run_id, status, response, events}', async () => {
    const { body } = await run('a wire transfer');
    const resumed = await gateway.post(`/v1/runs/${body.run_id}/resume`, { decision: 'approved' }, 'bob');
    expect(resumed.status).toBe(200);
    expect(Object.keys(resumed.body).sort()).toEqual(['events', 'response', 'run_id', 'status']);
    expect(resumed.body).toMatchObject({ status: 'completed', response: expect.stringContaining('a wire transfer') });
  });

  it('403 SVC-AUTH-003 for who is not an approver, 409 for a run that is not paused, 404 for an unknown one', async () => {
    const { body } = await run('a wire transfer', { approvers: ['bob'] });
    const resume = (id: string, principal: string) => gateway.post(`/v1/runs/${id}/resume`, { decision: 'denied' }, principal);
    expect(await resume(body.run_id, 'carol')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    expect((await resume(body.run_id, 'bob')).body.status).toBe('denied');
    expect(await resume(body.run_id, 'bob')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    expect(await resume('00000000-0000-7000-8000-000000000000', 'bob')).toMatchObject({
      status: 404,
      body: { code: 'SVC-RUN-001' },
    });
  });
});

describe('4 GET /v1/audit', () => {
  it('filters by principal, route and since, combined with AND, newest first', async () => {
    const first = (await run('one', { route: 'other' })).body.run_id;
    const second = (await gateway.post('/v1/runs', { route: 'other', messages: [{ role: 'user', content: 'two' }] }, 'carol'))
      .body.run_id;
    const mine = (await gateway.get('/v1/audit?route=other&principal=carol')).body;
    expect(ids(mine)).toEqual([second]);
    const both = (await gateway.get('/v1/audit?route=other')).body;
    expect(ids(both).slice(0, 2)).toEqual([second, first]);
    const since = both.runs[0].created_at;
    expect(ids((await gateway.get(`/v1/audit?route=other&since=${since}`)).body)).toContain(second);
    expect(ids((await gateway.get('/v1/audit?route=other&since=2999-01-01')).body)).toEqual([]);
    expect(ids((await gateway.get(`/v1/audit?since=${since.replace('Z', '+00:00')}`)).body)).toContain(second);
  });

  it('pages with limit, and tells more by a Link header', async () => {
    const all = ids((await gateway.get('/v1/audit')).body);
    const paged: unknown[] = [];
    for (let path: string | undefined = '/v1/audit?limit=2'; path !== undefined; ) {
      const { body, headers } = await gateway.get(path);
      expect(body.runs.length).toBeLessThanOrEqual(2);
      paged.push(...ids(body));
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(all);
  });
});

describe('4 GET /v1/audit/ledger', () => {
  it('answers records in sequence order, after since_seq, which defaults to 0', async () => {
    const all = await gateway.ledger();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    const { body } = await gateway.get('/v1/audit/ledger?since_seq=2');
    expect(body.records).toEqual(all.slice(2));
  });

  it('filters by route and pages', async () => {
    const all = (await gateway.ledger()).filter(({ model_id }) => model_id === 'other');
    const paged: JsonObject[] = [];
    for (let path: string | undefined = '/v1/audit/ledger?route=other&limit=1'; path !== undefined; ) {
      const { body, headers } = await gateway.get(path);
      paged.push(...body.records);
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(all);
  });
});

describe('4 GET /v1/audit/inventory', () => {
  it('answers only model_inventory records, of one route if asked', async () => {
    const { body } = await gateway.get('/v1/audit/inventory');
    expect(body.records.map(({ record_type, model_id }: JsonObject) => [record_type, model_id])).toEqual([
      ['model_inventory', 'default'],
      ['model_inventory', 'other'],
      ['model_inventory', 'halt'],
    ]);
    expect((await gateway.get('/v1/audit/inventory?route=other')).body.records).toHaveLength(1);
  });
});

describe('4 GET /v1/audit/report', () => {
  it('answers {generated_at, inventory, run_stats, chain_length}', async () => {
    const { body } = await gateway.get('/v1/audit/report');
    expect(Object.keys(body).sort()).toEqual(['chain_length', 'generated_at', 'inventory', 'run_stats']);
  });
});

describe('4 POST /v1/rag/index and /v1/rag/query', () => {
  it.each(['index', 'query'])('%s returns 503 unless RAG is configured, before the body is looked at', async (endpoint) => {
    const request = { body: '{ not json', headers: { 'content-type': 'text/plain' } };
    expect(await gateway.request('POST', `/v1/rag/${endpoint}`, request)).toMatchObject({
      status: 503,
      body: { code: 'SVC-RAG-001' },
    });
  });

  describe('where RAG is configured', () => {
    let configured: TestGateway;
    beforeAll(async () => {
      const rag = { vectors: { type: 'local' }, embedder: { type: 'local' } };
      configured = await TestGateway.start({ here: true, config: echoConfig({ rag }) });
    });
    afterAll(() => configured.dispose());
    const documents = [
      { text: 'the first document', metadata: { n: 1 } },
      { text: 'the second document', metadata: {} },
    ];

    it('index answers {indexed, namespace}', async () => {
      const { status, body } = await configured.post('/v1/rag/index', { namespace: 'docs', documents });
      expect(status).toBe(200);
      expect(body).toEqual({ indexed: 2, namespace: 'docs' });
    });

    it('query answers {namespace, docs}', async () => {
      await configured.post('/v1/rag/index', { namespace: 'docs', documents });
      const { status, body } = await configured.post('/v1/rag/query', { namespace: 'docs', query: 'the first document', k: 1 });
      expect(status).toBe(200);
      expect(body).toEqual({ namespace: 'docs', docs: [{ id: expect.any(String), ...documents[0] }] });
    });
  });
});

describe('4 GET /v1/health', () => {
  it('answers {status, config_digest, config_path}', async () => {
    expect(Object.keys((await gateway.get('/v1/health')).body).sort()).toEqual(['config_digest', 'config_path', 'status']);
  });
});

describe('4 GET /metrics', () => {
  it('is in the text exposition format and needs no key', async () => {
    const { status, text, headers } = await gateway.get('/metrics', null);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('# TYPE svc_runs_total counter');
    expect(text).toMatch(/svc_runs_total\{route="default",status="completed"\} \d+/);
  });
});

describe('4 Pages', () => {
  it.each(['/approvals', '/showcase'])('%s is an HTML page', async (path) => {
    const { status, headers, text } = await gateway.request('GET', path, { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text.toLowerCase()).toContain('<!doctype html>');
  });

  it.each(['/approvals', '/showcase'])(
    '%s shows its sign-in form to a browser without a key, with status 401 and a policy by hash',
    async (path) => {
      const { status, headers } = await gateway.request('GET', path, { principal: null, headers: { accept: 'text/html' } });
      expect(status).toBe(401);
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'sha256-[^']+'/);
    },
  );

  it('any other Accept without a key gets the JSON error', async () => {
    expect(await gateway.get('/approvals', null)).toMatchObject({ status: 401, body: { code: 'SVC-AUTH-001' } });
  });

  it('/ redirects to /showcase', async () => {
    const { status, headers } = await gateway.request('GET', '/');
    expect([301, 302, 303, 307, 308]).toContain(status);
    expect(headers.get('location')).toBe('/showcase');
  });
});
