import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

const STATES = '/v1/operations/states';

let gateway: TestGateway;
beforeAll(async () => {
  const principals = [{ principal_id: 'alice' }, { principal_id: 'ada', roles: ['admin', 'audit'] }];
  gateway = await TestGateway.start({ here: true, config: echoConfig(), principals });
});
afterAll(() => gateway.dispose());

const set = (state: string, more: JsonObject): Promise<Answer> =>
  gateway.request('PUT', `${STATES}/route/default`, { principal: 'ada', body: { state, ...more } });

describe('a change that expires', () => {
  const records = async (): Promise<JsonObject[]> => (await gateway.get('/v1/audit/operations?limit=1000', 'ada')).body.records;

  it('expires, and its beginning and end are in the operations log', async () => {
    const { status, body } = await set('disabled', { for: '1s', reason: 'prices are checked' });
    expect([status, body.state, body.next_state]).toEqual([200, 'disabled', 'enabled']);
    expect(Date.parse(body.until) - Date.parse(body.since)).toBe(1000);
    await expect.poll(async () => (await records()).at(-1)?.change, { timeout: 10_000 }).toMatchObject({ state: 'enabled' });
    const [begun, ended] = (await records()).slice(-2);
    expect([begun?.change, ended?.change]).toEqual([
      { state: 'disabled', for_s: 1 },
      { state: 'enabled', ended: begun?.seq },
    ]);
    expect((await gateway.chat('hello', { model: 'default' })).status).toBe(200);
    expect((await gateway.get(STATES, 'ada')).body.states).toEqual([]);
  });

  it.each([
    [{ for: '1s' }, 400, 'SVC-REQ-001'],
    [{ for: 'ever', reason: 'x' }, 400, 'SVC-REQ-001'],
    [{ for: '0s', reason: 'x' }, 400, 'SVC-REQ-001'],
  ])('is refused with %j', async (more, status, code) => {
    const answer = await set('disabled', more);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
