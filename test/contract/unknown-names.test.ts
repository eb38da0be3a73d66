import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterAll(() => gateway.dispose());

const detail = ({ body }: { body: { detail?: string } }) => body.detail ?? '';
const NAME = 'hunter2-is-my-password';

describe("a query parameter that one of the gateway's endpoints does not know", () => {
  it.each([
    ['/v1/audit?stauts=paused', 'status'],
    ['/v1/audit?princpal=alice', 'principal'],
    ['/v1/audit?Status=paused', 'status'],
    ['/v1/audit/ledger?sinceseq=1', 'since_seq'],
    ['/v1/audit/inventory?rout=default', 'route'],
    ['/v1/usage?untill=2026-01-01', 'until'],
    ['/v1/audit/ledger/proof?seqq=1', 'seq'],
  ])('%s is 400, which names %s', async (path, nearest) => {
    const answer = await gateway.get(path);
    expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(detail(answer)).toMatch(new RegExp(`\\b${nearest}\\b`));
  });

  it.each(['/v1/audit', '/v1/audit/report', '/v1/routes', '/v1/health', '/v1/audit/operations', '/v1/runs/none'])(
    '%s refuses it, and does not repeat it',
    async (path) => {
      const answer = await gateway.get(`${path}?${NAME}=1`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
      expect(JSON.stringify(answer.body)).not.toContain(NAME);
    },
  );

  it('is accepted on paths of other clients, browsers and monitors', async () => {
    const messages = { model: 'default', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    expect(await gateway.post('/v1/messages?beta=true', messages)).toMatchObject({ status: 200 });
    expect(await gateway.get('/v1/models?after=x')).toMatchObject({ status: 200 });
    expect(await gateway.get('/readyz?verbose')).toMatchObject({ status: 204 });
    expect(await gateway.get('/metrics?name[]=x')).toMatchObject({ status: 200 });
  });
});

describe("a body field that one of the gateway's endpoints does not know", () => {
  const messages = [{ role: 'user', content: 'hi' }];
  it.each([
    ['/v1/runs', { rout: 'default', messages }, 'route'],
    ['/v1/runs', { backgroud: true, messages }, 'background'],
    ['/v1/runs/none/resume', { decison: 'approved', decision: 'approved' }, 'decision'],
    ['/v1/runs', { model: 'default', messages }, 'route'],
  ])('%s %j is 400, which names %s', async (path, body, nearest) => {
    const answer = await gateway.post(path, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(detail(answer)).toMatch(new RegExp(`\\b${nearest}\\b`));
  });

  it('is not repeated', async () => {
    const answer = await gateway.post('/v1/runs', { messages, [NAME]: NAME });
    expect(answer).toMatchObject({ status: 400 });
    expect(JSON.stringify(answer.body)).not.toContain(NAME);
  });

  it('is accepted in a message, because that has the chat format', async () => {
    const answer = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hi', name: 'ann' }] });
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } });
  });
});

describe('until', () => {
  it('ends where `since` of the next period begins', async () => {
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hi' }] });
    const all = (await gateway.get('/v1/audit')).body.runs as { run_id: string; created_at: string }[];
    const at = all.find(({ run_id }) => run_id === body.run_id)?.created_at ?? '';
    const ids = async (query: string) =>
      ((await gateway.get(`/v1/audit?${query}`)).body.runs as { run_id: string }[]).map(({ run_id }) => run_id);
    expect(await ids(`until=${at}`)).not.toContain(body.run_id);
    expect(await ids(`since=${at}`)).toContain(body.run_id);
    expect([...(await ids(`since=${at}`)), ...(await ids(`until=${at}`))]).toEqual(all.map(({ run_id }) => run_id));
    expect(await gateway.get('/v1/audit?until=tomorrow')).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });

  it('also limits sums', async () => {
    const { body } = await gateway.get('/v1/usage?until=2026-01-01');
    expect(body).toMatchObject({ until: '2026-01-01T00:00:00.000Z', groups: [] });
    expect((await gateway.get('/v1/usage')).body.until).toBeNull();
  });
});
