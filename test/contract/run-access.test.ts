import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [
      { principal_id: 'alice', roles: ['call'] },
      { principal_id: 'bob', roles: ['approve'] },
      { principal_id: 'carol', roles: ['call', 'approve'] },
      { principal_id: 'eve', roles: ['call'] },
      { principal_id: 'auditor', roles: ['audit'] },
    ],
  });
});
afterAll(() => gateway.dispose());

async function made(content: string, approvers: string[]): Promise<string> {
  const { status, body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content }], approvers });
  expect(status).toBe(200);
  return body.run_id;
}

describe.each([
  ['waits', 'a wire transfer', 'paused'],
  ['has ended', 'hello', 'completed'],
])('a run that %s', (_, content, status) => {
  it.each([
    ['who made it', ['bob'], 'alice'],
    ['an approver on its list', ['bob'], 'bob'],
    ['whoever may approve, where it has no list', [], 'carol'],
    ['an auditor', ['bob'], 'auditor'],
  ])('is shown completely to %s', async (_who, approvers, reader) => {
    const run_id = await made(content, approvers);
    const answer = await gateway.get(`/v1/runs/${run_id}`, reader);
    expect(answer).toMatchObject({ status: 200, body: { status, principal_id: 'alice', approvers } });
    expect(answer.body.events.length).toBeGreaterThan(0);
    expect(answer.headers.get('x-svc-evidence') === null).toBe(status === 'paused');
  });

  it.each([
    ['a caller', ['bob'], 'eve'],
    ['a caller, where it has no list', [], 'eve'],
    ['an approver who is not on its list', ['bob'], 'carol'],
  ])('shows %s only its route and status', async (_who, approvers, reader) => {
    const run_id = await made(content, approvers);
    const { status: code, body, text, headers } = await gateway.get(`/v1/runs/${run_id}`, reader);
    expect(code).toBe(200);
    const config_digest = expect.stringMatching(/^sha256:/);
    expect(body).toEqual({ run_id, route: 'default', status, principal_id: '', approvers: [], events: [], config_digest });
    expect(text).not.toMatch(/alice|bob/);
    expect(headers.get('x-svc-evidence')).toBeNull();
  });

  it.each(['response', 'request'])('refuses its %s to the creator of another run, and the error names no one', async (what) => {
    const refused = await gateway.get(`/v1/runs/${await made(content, ['bob'])}/${what}`, 'eve');
    expect(refused).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    expect(refused.text).not.toMatch(/alice|bob/);
  });
});

it('a listed approver reads its content', async () => {
  const run_id = await made('hello', ['bob', 'carol']);
  expect((await gateway.get(`/v1/runs/${run_id}/response`, 'carol')).status).toBe(200);
});

it('without a list of approvers, a key with the role reads the content of a run only if it decided on it', async () => {
  const run_id = await made('a wire transfer', []);
  expect((await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob')).status).toBe(200);
  for (const what of ['response', 'request']) {
    expect((await gateway.get(`/v1/runs/${run_id}/${what}`, 'bob')).status).toBe(200);
    expect((await gateway.get(`/v1/runs/${run_id}/${what}`, 'carol')).status).toBe(403);
  }
});

it('the list of paused runs has details only of runs that the approver may decide, and no filter reveals the others', async () => {
  const [mine, theirs] = [await made('a wire transfer', ['bob']), await made('a wire transfer', ['carol'])];
  const list = async (query: string): Promise<{ run_id: string; principal_id: string; events: unknown[] }[]> =>
    (await gateway.get(`/v1/audit?status=paused${query}`, 'bob')).body.runs;
  const runs = new Map((await list('')).map((run) => [run.run_id, run]));
  expect(runs.get(mine)).toMatchObject({ principal_id: 'alice', approvers: ['bob'] });
  expect(runs.get(theirs)).toMatchObject({ principal_id: '', approvers: [], events: [] });
  const found = (await list('&principal=alice')).map(({ run_id }) => run_id);
  expect(found).toContain(mine);
  expect(found).not.toContain(theirs);
});
