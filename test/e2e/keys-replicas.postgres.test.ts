import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';

let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  replicas = await Replicas.start(inject('postgres'), echoConfig(), 0);
  const principals = [{ principal_id: 'ada', roles: ['admin'] }];
  [one, other] = await Promise.all([replicas.add(replicas.url, principals), replicas.add(replicas.url, principals)]);
});
afterAll(() => replicas?.dispose());

const ask = async (gateway: TestGateway, key: string): Promise<number> => {
  const body = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };
  const headers = { authorization: `Bearer ${key}` };
  return (await gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body })).status;
};

it('a key of one replica is valid at another, and is revoked there too', async () => {
  const { key, id } = (await one.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body;
  await until(async () => (await ask(other, key)) === 200);
  // Known there without waiting: a change is made with everything before it applied.
  expect((await other.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' })).status).toBe(200);
  const revoked = performance.now();
  expect(await ask(other, key)).toBe(401);
  await until(async () => (await ask(one, key)) === 401);
  expect(performance.now() - revoked).toBeLessThan(2000);
  const [listed] = (await one.get('/v1/keys', 'ada')).body.keys;
  expect(listed).toMatchObject({ id, revoked_at: expect.any(String), last_used_at: expect.any(String) });
});

it('of two concurrent rotations of a key at two replicas, one succeeds, and the other gets an error that names the successor', async () => {
  const { id } = (await one.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body;
  const rotated = await Promise.all(
    [one, other].map((gateway) => gateway.post(`/v1/keys/${id}/rotate`, { overlap_s: 60 }, 'ada')),
  );
  expect(rotated.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const refused = rotated.find(({ status }) => status === 409)?.body;
  const keys = (await other.get('/v1/keys', 'ada')).body.keys.filter(
    ({ rotated_from }: { rotated_from: string | null }) => rotated_from === id,
  );
  expect(keys).toHaveLength(1);
  expect(refused).toMatchObject({ code: 'SVC-KEY-002', detail: expect.stringContaining(keys[0].id) });
});
