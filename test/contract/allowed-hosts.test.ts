import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

/** Without keys, asked by a name of the caller's. */
async function asked(path: string, host: string, headers: Record<string, string> = {}): Promise<[number, string?]> {
  const { port } = new URL(gateway.url);
  const [response] = await once(get({ host: '127.0.0.1', port, path, headers: { host, ...headers } }), 'response');
  const body = response.headers['content-type'].includes('json') ? await json(response) : response.resume();
  return [response.statusCode, body.code];
}

const TAKEN = [200, undefined];
const REFUSED = [403, 'SVC-AUTH-002'];
const start = (...args: string[]) => TestGateway.start({ here: true, config: echoConfig(), args: ['--no-auth', ...args] });

describe('--no-auth', () => {
  it('on the loopback accepts its names and the allowed ones', async () => {
    gateway = await start('--allow-host', 'svc.test', '--allow-host', 'Other.Test');
    const { port } = new URL(gateway.url);
    for (const name of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]', 'svc.test', 'SVC.test', 'other.test'])
      for (const host of [name, `${name}:${port}`, `${name}:`]) expect(await asked('/v1/health', host)).toEqual(TAKEN);
    for (const host of ['evil.example', 'localhost.evil.example', 'evil.example:80', '127.0.0.1.', '10.0.0.1'])
      for (const path of ['/v1/health', '/metrics', '/', '/showcase', '/no/such/path', '/v1/%ZZ'])
        expect(await asked(path, host), `${host} ${path}`).toEqual(REFUSED);
    // As a page does whose name was given the gateway's address.
    expect(await asked('/v1/health', 'evil.example', { origin: 'http://evil.example' })).toEqual(REFUSED);
  });

  it('elsewhere accepts the allowed names, and no others', async () => {
    gateway = await start('--host', '0.0.0.0', '--allow-host', 'svc.test');
    expect(await asked('/v1/health', 'svc.test:8000')).toEqual(TAKEN);
    expect(await asked('/metrics', 'svc.test')).toEqual(TAKEN);
    expect(await asked('/v1/health', 'evil.example')).toEqual(REFUSED);
    expect(await asked('/v1/health', '127.0.0.1')).toEqual(REFUSED);
  });

  it('elsewhere is refused without an allowed name, also in the configuration', async () => {
    gateway = await start();
    await gateway.stop();
    const config = join(gateway.folder, 'svc.yaml');
    const serve = (...args: string[]) => spawnSync(process.execPath, [MAIN, 'serve', '--config', config, '--port', '0', ...args]);
    expect(serve('--no-auth', '--host', '0.0.0.0').status).toBe(2);
    expect(serve('--allow-host', 'svc.test').status).toBe(2);
    await gateway.configure({ ...echoConfig(), server: { host: '::' } });
    expect(serve('--no-auth').status).toBe(2);
  });
});
