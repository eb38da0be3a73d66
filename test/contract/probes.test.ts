import { once } from 'node:events';
import { get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

const PROBES = ['/livez', '/readyz'];

async function start(args: readonly string[] = [], server: object = {}): Promise<void> {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { ...server } }), args });
}

/** Status and body, by a name and headers of the caller's. */
async function asked(path: string, headers: Record<string, string>): Promise<[number, string]> {
  const { port } = new URL(gateway.url);
  const [response] = await once(get({ host: '127.0.0.1', port, path, headers }), 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return [response.statusCode, body];
}

describe.each(PROBES)('%s', (path) => {
  it('requires no key and has no content', async () => {
    await start();
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await gateway.request(method, path, { principal: null });
      expect([status, text, headers.get('content-type')]).toEqual([204, '', null]);
      expect([...headers.keys()].filter((name) => name.startsWith('x-svc') || name === 'server')).toEqual([]);
    }
    const unknown = { authorization: `Bearer svc-${'0'.repeat(64)}` };
    expect((await gateway.request('GET', path, { principal: null, headers: unknown })).status).toBe(204);
    // Nothing else is served without a key for that.
    expect((await gateway.request('POST', path, { principal: null, body: {} })).status).toBe(401);
    expect((await gateway.get(`${path}/`, null)).status).toBe(401);
  });

  it('with --no-auth answers under any Host and to any origin', async () => {
    await start(['--no-auth']);
    expect((await asked('/v1/health', { host: 'evil.example' }))[0]).toBe(403);
    for (const host of ['evil.example', '10.0.0.5:8000', '127.0.0.1'])
      expect(await asked(path, { host, origin: 'http://other.example' })).toEqual([204, '']);
  });

  it('uses no quota with --demo', async () => {
    await start(['--demo']);
    for (let n = 0; n < 40; n += 1) {
      const { status, headers } = await gateway.get(path, null);
      expect([status, headers.get('ratelimit-limit')]).toEqual([204, null]);
    }
  });

  it('is not in the log', async () => {
    await start();
    await gateway.get(path, null);
    await gateway.get('/v1/models');
    // The line of the later request.
    await gateway.until((output) => (output.includes('"path":"/v1/models"') ? true : undefined));
    expect(gateway.output).not.toContain(path);
  });
});

it('after the signal to stop, the server is live but not ready', async () => {
  gateway = await TestGateway.start({ config: echoConfig({ server: { drain_delay: '10m' } }) });
  expect((await gateway.get('/readyz', null)).status).toBe(204);
  process.kill(gateway.pid, 'SIGTERM');
  await gateway.logged('stopping');
  expect(await gateway.get('/readyz', null)).toMatchObject({ status: 503, text: '' });
  expect((await gateway.get('/livez', null)).status).toBe(204);
});
