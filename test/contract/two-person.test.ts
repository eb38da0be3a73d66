import type { JsonObject } from '@svc/contracts';
import { expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

it('with operations.two_person, one operator stops and two enable', async () => {
  const pair = await TestGateway.start({
    here: true,
    config: echoConfig({ operations: { two_person: true } }),
    principals: ['ada', 'grace'].map((principal_id) => ({ principal_id, roles: ['admin', 'call'] })),
  });
  const ask = (principal: string, path: string, body: JsonObject) =>
    pair.request('PUT', `/v1/operations/states/${path}`, { principal, body });
  const chat = async () => (await pair.chat('ACC-1', { principal: 'ada' })).status;
  expect((await ask('ada', 'route/default', { state: 'disabled' })).status).toBe(200);
  const proposed = await ask('ada', 'route/default', { state: 'enabled', reason: 'mended' });
  expect([proposed.status, proposed.body]).toMatchObject([
    202,
    { state: 'disabled', proposed: { state: 'enabled', by: 'ada', reason: 'mended' } },
  ]);
  expect([(await ask('ada', 'route/default', { state: 'enabled' })).body.code, await chat()]).toEqual(['SVC-OPS-003', 503]);
  const confirmed = await ask('grace', 'route/default', { state: 'enabled' });
  expect([confirmed.status, confirmed.body, await chat()]).toMatchObject([
    200,
    { state: 'enabled', by: 'grace', proposed: null },
    200,
  ]);
  const guard = await ask('ada', 'guard/mask', { state: 'disabled', reason: 'r' });
  const { body } = await pair.chat('ACC-1', { principal: 'ada' });
  expect([guard.status, body.choices[0].message.content]).toEqual([202, 'echo: <ACCOUNT>']);
  await pair.dispose();
});

it('the proposal of an operator whose admin key was revoked does not count, even if other keys remain', async () => {
  const pair = await TestGateway.start({
    here: true,
    config: echoConfig({ operations: { two_person: true }, routes: { other: { provider: 'local', model: 'echo-1' } } }),
    principals: [{ principal_id: 'ada', roles: ['admin'] }],
  });
  const put = (headers: Record<string, string>, state: string) =>
    pair.request('PUT', '/v1/operations/states/route/default', { principal: null, headers, body: { state } });
  const [ada, grace] = [pair.key('ada'), (await pair.post('/v1/keys', { principal_id: 'grace', roles: ['admin'] }, 'ada')).body];
  const by = (key: string) => ({ authorization: `Bearer ${key}` });
  await pair.post('/v1/keys', { principal_id: 'grace', roles: ['admin'], routes: ['other'] }, 'ada');
  await put(by(ada), 'disabled');
  expect((await put(by(grace.key), 'enabled')).status).toBe(202);
  await pair.request('DELETE', `/v1/keys/${grace.id}`, { principal: 'ada' });
  const own = await put(by(ada), 'enabled');
  expect([own.status, own.body]).toMatchObject([202, { state: 'disabled', proposed: { by: 'ada' } }]);
  await pair.dispose();
});
