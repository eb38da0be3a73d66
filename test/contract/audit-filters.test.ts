import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
/** By what was asked. */
const made: Record<string, string> = {};
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: {
        Watch: { type: 'rules', rules: [{ name: 'Greek-Alpha', words: ['alpha'], verdict: 'block' }], mode: 'observe' },
      },
      routes: {
        other: {
          provider: 'local',
          model: 'echo-1',
          pipeline: { ingress: ['mask', 'Watch', 'policy'], egress: [] },
        },
      },
    }),
    principals: [
      { principal_id: 'alice', roles: ['call'] },
      { principal_id: 'carol', roles: ['call'] },
      { principal_id: 'bob', roles: ['approve'] },
      { principal_id: 'ada', roles: ['audit'] },
    ],
  });
  for (const text of ['hello', 'ACC-12', 'forbidden', 'wire transfer', 'alpha', 'hello again', 'ACC-13'])
    made[text] = await runOf(text);
});
afterAll(() => gateway.dispose());

async function runOf(content: string): Promise<string> {
  const body = { route: 'other', messages: [{ role: 'user', content }], approvers: ['bob'] };
  return (await gateway.post('/v1/runs', body, 'alice')).body.run_id;
}

async function found(query: string, principal = 'ada'): Promise<string[]> {
  const { body } = await gateway.get(`/v1/audit?${query}`, principal);
  return body.runs.map(({ run_id }: { run_id: string }) => Object.keys(made).find((text) => made[text] === run_id));
}

it.each([
  ['verdict=sanitize', ['ACC-13', 'ACC-12']],
  ['verdict=block', ['forbidden']],
  ['verdict=require_approval', ['wire transfer']],
  ['code=wire', ['wire transfer']],
  ['code=WIR', ['wire transfer']],
  ['code=account', ['ACC-13', 'ACC-12']],
  ['verdict=sanitize&code=account', ['ACC-13', 'ACC-12']],
  ['verdict=block&code=account', []],
  ['verdict=sanitize&status=blocked', []],
  ['verdict=sanitize&principal=alice&route=other', ['ACC-13', 'ACC-12']],
  ['verdict=sanitize&route=default', []],
  ['code=none-such', []],
  // Of a guard that only observes: it has a code, but its verdict had no effect.
  ['code=greek-alpha', ['alpha']],
  ['verdict=block&code=alpha', []],
])('finds runs by %s', async (query, texts) => {
  expect(await found(query)).toEqual(texts);
});

it('a code without a verdict does not match verdicts `allow`', async () => {
  const { body } = await gateway.get(`/v1/runs/${made.hello}`, 'ada');
  const { code } = body.events.find(({ event_type }: { event_type: string }) => event_type === 'verdict').data;
  expect(await found(`code=${code}`)).toEqual([]);
  expect(await found(`code=${code}&verdict=allow`)).toContain('hello');
});

it('finds a decided run by the verdict that paused it', async () => {
  const run_id = await runOf('wire transfer, decided');
  const answer = await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'denied' }, 'bob');
  expect(answer.status).toBe(200);
  const { body } = await gateway.get('/v1/audit?verdict=require_approval&status=denied', 'ada');
  expect(body.runs.map((run: { run_id: string }) => run.run_id)).toEqual([run_id]);
});

it('pages of found runs equal one long list', async () => {
  const all = (await gateway.get('/v1/audit?verdict=allow', 'ada')).body.runs;
  const paged: unknown[] = [];
  for (let path: string | undefined = '/v1/audit?verdict=allow&limit=2'; path !== undefined; ) {
    const { body, headers } = await gateway.get(path, 'ada');
    expect(body.runs.length).toBeLessThanOrEqual(2);
    paged.push(...body.runs);
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(all.length).toBeGreaterThan(3);
  expect(paged).toEqual(all);
});

it.each(['verdict=deny', 'code=', `code=${'a'.repeat(65)}`])('refuses %s', async (query) => {
  expect(await gateway.get(`/v1/audit?${query}`, 'ada')).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
});

it('shows a caller only its own runs', async () => {
  expect(await found('principal=alice&verdict=sanitize', 'alice')).toEqual(['ACC-13', 'ACC-12']);
  expect((await gateway.get('/v1/audit?principal=alice', 'alice')).body.runs.length).toBeGreaterThan(6);
  expect(await found('principal=carol', 'carol')).toEqual([]);
  for (const query of ['', 'principal=alice', 'status=paused', 'verdict=block'])
    expect(await gateway.get(`/v1/audit?${query}`, 'carol')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
});

it.each(['code=wire', 'verdict=require_approval'])('does not find paused runs for an approver by %s', async (query) => {
  const answer = await gateway.get(`/v1/audit?status=paused&${query}`, 'bob');
  expect(answer).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
});
