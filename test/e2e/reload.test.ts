import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@svc/contracts';
import { afterEach, expect, it } from 'vitest';
import { answer, held, startUpstream } from '../fixtures/upstream.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

const SLOW = { provider: 'model', model: 'm-1', pipeline: { ingress: [], egress: [] } };
const ECHO = { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } };

/** Writes the file anew, with the keys that it has. */
async function rewrite(changes: JsonObject): Promise<void> {
  const { auth } = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
  await gateway.configure({ ...changes, auth });
}

async function svcApply(...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, SVC_KEY: gateway.key('root') };
  const run = promisify(execFile)(process.execPath, [MAIN, 'apply', '--server', gateway.url, ...args], { env });
  return run.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

const digest = async (): Promise<string> => (await gateway.get('/v1/health')).body.config_digest;

it('SIGHUP applies the file, and a stream in progress ends with its first configuration', async () => {
  const upstream = await startUpstream();
  const providers = { model: { type: 'openai', base_url: upstream.url } };
  gateway = await TestGateway.start({ config: echoConfig({ providers, routes: { slow: SLOW } }) });
  const before = await digest();
  const model = held(answer('as it was'));
  upstream.respond(model.behaviour);
  const asked = gateway.chat('hello', { model: 'slow' });
  await upstream.received(1);

  await rewrite(echoConfig({ providers, routes: { fresh: ECHO } }));
  process.kill(gateway.pid, 'SIGHUP');
  await gateway.logged('configuration_applied');
  expect(await digest()).not.toBe(before);
  expect((await gateway.chat('hello', { model: 'fresh' })).body.choices[0].message.content).toBe('echo: hello');
  expect((await gateway.chat('hello', { model: 'slow' })).status).toBe(404);
  model.release();
  expect((await asked).body.choices[0].message.content).toBe('as it was');
  await gateway.logged('configuration_closed');

  const active = await digest();
  await rewrite({ routes: 'none' });
  process.kill(gateway.pid, 'SIGHUP');
  await gateway.logged('configuration_refused');
  expect(await digest()).toBe(active);
  expect(await gateway.stop()).toBe(0);
  await upstream.close();
});

it('svc apply shows the changes, and is refused with the findings of svc lint', async () => {
  gateway = await TestGateway.start({
    config: echoConfig(),
    principals: [{ principal_id: 'alice' }, { principal_id: 'root', roles: ['admin'] }],
  });
  const before = await digest();
  await rewrite(echoConfig({ routes: { fresh: ECHO } }));
  const tried = await svcApply('--dry-run');
  expect(tried).toMatchObject({ code: 0, output: expect.stringContaining('+ routes.fresh') });
  expect(await digest()).toBe(before);
  const { code, output } = await svcApply('--json', '--reason', 'a new route');
  expect({ code, ...JSON.parse(output) }).toMatchObject({ code: 0, previous_digest: before, active_digest: await digest() });
  expect(await digest()).not.toBe(before);

  await rewrite({ ...echoConfig(), approvals: { max_paused: 7 } });
  const refused = await svcApply();
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/svc\.yaml:\d+:\d+: error SVC-POL-012 approvals/) });
  expect(JSON.parse((await svcApply('--json')).output)).toMatchObject({ code: 'SVC-CONF-001' });
});
