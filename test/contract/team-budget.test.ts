import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const limits = [{ scope: 'team', unit: 'requests', amount: 3, period: 'month' }];
  const pipeline = { ingress: ['budget', 'policy'], egress: ['budget'] };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { budget: { type: 'budget', limits } },
      routes: { default: { provider: 'local', model: 'echo-1', pipeline } },
    }),
    principals: [
      { principal_id: 'ada', roles: ['admin', 'approve', 'audit'] },
      { principal_id: 'alice', team: 'blue' },
      { principal_id: 'bob', team: 'blue' },
      { principal_id: 'carol', team: 'red' },
      { principal_id: 'dan' },
    ],
  });
});
afterAll(() => gateway.dispose());

const messages = [{ role: 'user', content: 'hello' }];
const reasonOf = async (principal: string) => (await gateway.chat('hello', { principal })).body.choices[0].finish_reason;

it('a team has one budget for all its keys, also across a pause and a rotation', async () => {
  const { key, id } = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], team: 'blue' }, 'ada')).body;
  const ask = async (with_key: string) => {
    const headers = { authorization: `Bearer ${with_key}` };
    const body = { model: 'default', messages };
    return (await gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body })).body.choices[0]
      .finish_reason;
  };
  expect(await reasonOf('alice')).toBe('stop');
  const paused = (await gateway.chat('a wire transfer', { principal: 'bob' })).body.svc_run_id;
  expect(await ask(key)).toBe('stop');
  const resumed = await gateway.post(`/v1/runs/${paused}/resume`, { decision: 'approved' }, 'ada');
  expect(resumed.body.status).toBe('completed');
  const rotated = (await gateway.post(`/v1/keys/${id}/rotate`, {}, 'ada')).body;
  expect([await ask(key), await ask(rotated.key), await reasonOf('alice')]).toEqual(Array(3).fill('content_filter'));
  expect([
    await reasonOf('carol'),
    await reasonOf('dan'),
    await reasonOf('dan'),
    await reasonOf('dan'),
    await reasonOf('dan'),
  ]).toEqual(Array(5).fill('stop'));
});
