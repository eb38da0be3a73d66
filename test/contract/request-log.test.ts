import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { trust_proxy: true } }) });
});
afterAll(() => gateway.dispose());

type Line = Record<string, unknown>;

/** The line of the log for the first request with this status at this path. */
const lineOf = (method: string, path: string, status: number): Promise<Line> =>
  gateway.until((output) =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line): Line => JSON.parse(line))
      .find((line) => line.event === 'request' && line.method === method && line.path === path && line.status === status),
  );

const messages = [{ role: 'user', content: 'hello' }];

it('a chat: the address, the route and its model', async () => {
  const { headers } = await gateway.chat('hello');
  expect(await lineOf('POST', '/v1/chat/completions', 200)).toMatchObject({
    address: '127.0.0.1',
    principal_id: 'alice',
    route: 'default',
    model: 'echo-1',
    run_id: headers.get('x-svc-run-id'),
  });
});

it('a run, and what is asked about it', async () => {
  const { run_id } = (await gateway.post('/v1/runs', { messages })).body;
  await gateway.get(`/v1/runs/${run_id}`);
  const about = { route: 'default', model: 'echo-1', run_id };
  expect(await lineOf('POST', '/v1/runs', 200)).toMatchObject(about);
  expect(await lineOf('GET', '/v1/runs/:run_id', 200)).toMatchObject(about);
});

it('the address that a trusted proxy saw; nothing that is none', async () => {
  const ask = (forwarded: string, path: string) => gateway.request('GET', path, { headers: { 'x-forwarded-for': forwarded } });
  await ask('198.51.100.7, 192.0.2.9:4711', '/v1/models');
  expect(await lineOf('GET', '/v1/models', 200)).toMatchObject({ address: '192.0.2.9', route: null, model: null });
  await ask('ann@example.org', '/v1/routes');
  expect(await lineOf('GET', '/v1/routes', 200)).toMatchObject({ address: null });
  expect(gateway.output).not.toContain('ann@example.org');
});

it('a name of a route that there is not is text of the caller', async () => {
  await gateway.chat('hello', { model: 'of-nobody' });
  expect(await lineOf('POST', '/v1/chat/completions', 404)).toMatchObject({ route: null, model: null });
  expect(gateway.output).not.toContain('of-nobody');
});
