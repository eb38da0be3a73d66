import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const other = { provider: 'local', model: 'echo-2', pipeline: { ingress: [], egress: [] } };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes: { other } }) });
});
afterAll(() => gateway.dispose());

const run = (content: string, more: JsonObject = {}) =>
  gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });
const ids = (body: { runs: JsonObject[] }) => body.runs.map(({ run_id }) => run_id);

describe('4 POST /v1/chat/completions', () => {
  it('x-svc-evidence names the record of the run', async () => {
    const { headers } = await gateway.chat('hello');
    const [seq, hash] = (headers.get('x-svc-evidence') ?? '').split(' ');
    const { body } = await gateway.get(`/v1/audit/ledger?since_seq=${Number(seq) - 1}&limit=1`);
    expect(body.records[0]).toMatchObject({ hash, run_id: headers.get('x-svc-run-id') });
  });
});

describe('4 POST /v1/runs', () => {
  it('answers {run_id, status, response, principal_id, events}', async () => {
    const { status, body } = await run('hello');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['events', 'principal_id', 'response', 'run_id', 'status']);
    expect(body).toMatchObject({ status: 'completed', principal_id: 'alice' });
  });

  it('route defaults to default, approvers to everyone, background to false', async () => {
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

  it.each([{ colour: 'blue' }, { model: 'other' }, { stream: true }, { rout: 'default' }])('refuses %j', async (fields) => {
    expect(await run('hello', fields)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
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

  it('paginates with limit and a Link header', async () => {
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
  it('returns only model_inventory records, of one route if requested', async () => {
    const { body } = await gateway.get('/v1/audit/inventory');
    expect(body.records.map(({ record_type, model_id }: JsonObject) => [record_type, model_id])).toEqual([
      ['model_inventory', 'default'],
      ['model_inventory', 'other'],
    ]);
    expect((await gateway.get('/v1/audit/inventory?route=other')).body.records).toHaveLength(1);
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
  it.each(['/approvals', '/runs', '/showcase', '/usage'])('%s is an HTML page', async (path) => {
    const { status, headers, text } = await gateway.request('GET', path, { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text.toLowerCase()).toContain('<!doctype html>');
  });

  it.each(['/approvals', '/runs', '/showcase', '/usage'])(
    '%s shows its sign-in form to a browser without a key, with status 401 and a policy by hash',
    async (path) => {
      const { status, headers } = await gateway.request('GET', path, { principal: null, headers: { accept: 'text/html' } });
      expect(status).toBe(401);
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'sha256-[^']+'/);
    },
  );

  it('/ redirects to /showcase', async () => {
    const { status, headers } = await gateway.request('GET', '/');
    expect([301, 302, 303, 307, 308]).toContain(status);
    expect(headers.get('location')).toBe('/showcase');
  });
});
