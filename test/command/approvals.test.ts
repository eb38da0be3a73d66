import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', approvers: ['bob'], pipeline: { ingress: ['policy'], egress: [] } };
  const principals = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'dave' }];
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes: { bounded: route } }), principals });
});
afterAll(() => gateway.dispose());

async function svc(words: readonly string[], principal = 'bob') {
  const { status: code, ...said } = await svcHere([...words, '--server', gateway.url], {
    env: { SVC_KEY: gateway.key(principal) },
  });
  return { code, ...said };
}

it('creates, lists and ends delegations, and shows on whose behalf a delegate decided', async () => {
  const made = await svc(['approvals', 'delegate', 'dave', '--for', '1h', '--reason', 'on leave', '--json']);
  const { id } = JSON.parse(made.stdout);
  const line = new RegExp(`^${id}: dave decides for bob from \\S+ until \\S+ \\(on leave\\)\\n$`);
  expect(await svc(['approvals', 'delegations'], 'dave')).toMatchObject({ code: 0, stdout: expect.stringMatching(line) });
  const { body } = await gateway.chat('a wire transfer', { model: 'bounded' });
  const shown = await svc(['runs', 'show', body.svc_run_id], 'dave');
  expect(shown.stdout).toMatch(/^may also decide: dave for bob from \S+ until \S+$/m);
  const approved = await svc(['runs', 'approve', body.svc_run_id], 'dave');
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('dave decided: approved (on behalf of bob; ') });
  expect(await svc(['approvals', 'end', id])).toMatchObject({ code: 0, stdout: expect.stringMatching(line) });
  expect(await svc(['approvals', 'delegations'])).toMatchObject({ code: 0, stdout: '' });
});

it.each([
  [['approvals', 'delegate', 'dave', '--for', '1h'], 2, 'missing --reason'],
  [['approvals', 'delegate', 'dave', '--reason', 'x'], 1, 'either until or for'],
  [['approvals', 'delegate', 'nobody', '--for', '1h', '--reason', 'x'], 1, 'body/to'],
  [['approvals', 'end', 'none'], 1, 'SVC-APPR-001'],
  [['approvals', 'delgate'], 2, 'svc approvals delegate PRINCIPAL'],
])('svc %j ends with %i', async (words, code, said) => {
  const answer = await svc(words);
  expect([answer.code, answer.stdout]).toEqual([code, '']);
  expect(answer.stderr).toContain(said);
});
