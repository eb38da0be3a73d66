import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import type { RunsDb } from '../harness/runs-dbs.ts';
import { until } from '../harness/until.ts';

export function testOperations(open: () => Promise<RunsDb>): void {
  const WORKERS = 2;
  /** Enough requests to reach each worker, because connections go to them in turn. */
  const LOOKS = 2 * WORKERS;
  const BODY = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'hello' }] });

  let runs: RunsDb;
  let gateway: TestGateway;
  beforeAll(async () => {
    runs = await open();
    const limits = [{ principal: 'few', requests_per_minute: 1 }];
    gateway = await TestGateway.start({
      config: echoConfig({ server: { workers: WORKERS }, limits }),
      args: ['--runs-db', runs.url],
      principals: [{ principal_id: 'alice' }, { principal_id: 'few' }, { principal_id: 'ada', roles: ['admin'] }],
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await gateway.allEnded();
    await gateway.dispose();
    await runs.remove();
  });

  /** Uses a new connection. */
  async function ask(key: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', agent: false, headers });
    asked.end(BODY);
    const [response] = await once(asked, 'response');
    response.resume();
    return response.statusCode;
  }

  /** The answers of all workers. */
  async function answers(key: string, count = LOOKS): Promise<(number | undefined)[]> {
    const found = [];
    for (let look = 0; look < count; look += 1) found.push(await ask(key));
    return found;
  }

  /** Waits up to 2 s until all workers answer with this status. */
  async function expectSoon(key: string, status: number): Promise<void> {
    const since = performance.now();
    await until(async () => (await answers(key)).every((each) => each === status));
    expect(performance.now() - since).toBeLessThan(2000);
  }

  it('a key is valid in every worker, and revoked in every worker', async () => {
    const { key, id } = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body;
    await expectSoon(key, 200);
    expect((await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' })).status).toBe(200);
    await expectSoon(key, 401);
  });

  it('a route is stopped in every worker, and resumed in every worker', async () => {
    const set = (state: string) =>
      gateway.request('PUT', '/v1/operations/states/route/default', { principal: 'ada', body: { state } });
    expect((await set('disabled')).status).toBe(200);
    await expectSoon(gateway.key('alice'), 503);
    expect((await set('enabled')).status).toBe(200);
    await expectSoon(gateway.key('alice'), 200);
  });

  it('each worker counts limits separately, so together they admit at most the limit times the number of workers', async () => {
    const found = await answers(gateway.key('few'), 3 * WORKERS);
    expect(found.filter((status) => status === 200).length).toBeLessThanOrEqual(WORKERS);
    expect([...new Set(found)]).toEqual([200, 429]);
  });
}
