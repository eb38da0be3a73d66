import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [{ principal_id: 'alice' }, { principal_id: 'ada', roles: ['admin'] }],
  });
});
afterAll(() => gateway.dispose());

async function svc(words: string, { server = gateway.url, principal = 'ada' } = {}) {
  const { status: code, ...said } = await svcHere([...words.split(' '), '--server', server], {
    env: { SVC_KEY: gateway.key(principal) },
  });
  return { code, ...said };
}

it('stops a route, lists it, and enables it', async () => {
  expect(await svc('stop route default --reason leak')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^route default: disabled since \S+ by ada \(leak\)\n$/),
  });
  expect((await gateway.chat('hello')).body.code).toBe('SVC-OPS-001');
  const { states } = JSON.parse((await svc('states --json')).stdout);
  expect(states).toMatchObject([{ kind: 'route', name: 'default', state: 'disabled', reason: 'leak' }]);
  expect((await svc('states')).stdout).toMatch(/^route default: disabled since/);
  expect(await svc('allow route default')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^route default: enabled/) });
  expect((await gateway.chat('hello')).status).toBe(200);
  expect((await svc('states')).stdout).toBe('everything is enabled\n');
});

it('gives a route another state', async () => {
  expect((await svc('stop route default --state read_only --json')).stdout).toContain('"state":"read_only"');
  expect((await svc('allow route default')).code).toBe(0);
});

it('stops for a time', async () => {
  const { code, stdout } = await svc('stop route default --for 2s --reason leak');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^route default: disabled since \S+ by ada until \S+, then enabled \(leak\)\n$/),
  ]);
  await expect.poll(async () => (await svc('states')).stdout, { timeout: 20_000 }).toBe('everything is enabled\n');
});

it('allows for a time: the earlier state then returns', async () => {
  expect((await svc('stop route default --state read_only --reason leak')).code).toBe(0);
  const { code, stdout } = await svc('allow route default --for 2s --reason one-answer');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^route default: enabled since \S+ by ada until \S+, then read_only \(one-answer\)\n$/),
  ]);
  expect((await gateway.chat('hello')).status).toBe(200);
  await expect
    .poll(async () => JSON.parse((await svc('states --json')).stdout).states, { timeout: 20_000 })
    .toMatchObject([{ name: 'default', state: 'read_only', next_state: null }]);
  expect((await gateway.chat('hello')).body.code).toBe('SVC-OPS-001');
  expect((await svc('allow route default')).code).toBe(0);
});

it.each([
  ['stop route defualt', 1, 'did you mean default?'],
  ['stop guard policy', 1, 'body/reason'],
  ['stop planet mars', 1, 'SVC-REQ-001'],
  ['stop route', 2, 'missing argument NAME'],
  ['states more', 2, 'see svc --help'],
])('svc %s ends with %i', async (words, code, said) => {
  const answer = await svc(words);
  expect([answer.code, answer.stdout]).toEqual([code, '']);
  expect(answer.stderr).toContain(said);
});

it('names the required role, and the server that does not answer', async () => {
  expect(await svc('stop route default', { principal: 'alice' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SVC_KEY must be an API key with the role admin'),
  });
  expect(await svc('states', { server: 'http://127.0.0.1:1' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot reach http://127.0.0.1:1'),
  });
});
