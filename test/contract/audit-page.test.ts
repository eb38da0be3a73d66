import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

interface Listed {
  run_id: string;
  status: string;
  events: { event_type: string }[];
}

let gateway: TestGateway;
beforeAll(async () => {
  const principals = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'auditor', roles: ['audit'] }];
  gateway = await TestGateway.start({ here: true, config: echoConfig(), principals });
});
afterAll(() => gateway.dispose());

async function made(content: string): Promise<string> {
  const { status, body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content }], approvers: ['bob'] });
  expect(status).toBe(200);
  return body.run_id;
}

it('lists runs exactly as in their records and rows, byte for byte', async () => {
  await made('hello "events":[ ACC-12');
  await made('forbidden');
  await made('a wire transfer');
  for (const decision of ['approved', 'denied']) {
    const answer = await gateway.post(`/v1/runs/${await made(`a wire transfer, ${decision}`)}/resume`, { decision }, 'bob');
    expect(answer.status).toBe(200);
  }
  const erased = await made('hello');
  expect((await gateway.request('DELETE', `/v1/runs/${erased}/content`)).status).toBe(200);

  const records: Listed[] = (await gateway.get('/v1/audit/ledger', 'auditor')).body.records;
  const { body, text, headers } = await gateway.get('/v1/audit', 'auditor');
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const listed: Listed[] = body.runs;
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['completed', 'blocked', 'paused', 'denied']));
  for (const { run_id, status, events } of listed) {
    const sealed = records.find((record) => record.run_id === run_id)?.events ?? [];
    expect(sealed.length === 0).toBe(status === 'paused');
    expect(events.slice(0, sealed.length)).toEqual(sealed);
    const types = events.slice(sealed.length).map(({ event_type }) => event_type);
    if (status !== 'paused') expect(types).toEqual(run_id === erased ? ['erased'] : []);
    else expect(types).toContain('paused');
  }
  const fields = ['run_id', 'route', 'principal_id', 'status', 'approvers', 'events', 'config_digest', 'created_at'];
  // What waits names the request that it shares a decision with.
  const waits = [...fields.toSpliced(5, 0, 'may_decide'), 'cannot_approve', 'group'];
  for (const run of listed) expect(Object.keys(run)).toEqual(run.status === 'paused' ? waits : fields);
  expect(text).toBe(JSON.stringify({ runs: listed }));
});
