import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';

const STORE = { content_key: 'secret://env/SVC_CONTENT_KEY#value' };
const SECRET = 'marigold-7431';

let replicas: Replicas;
let gateway: TestGateway;
beforeEach(async () => {
  replicas = await Replicas.start(inject('postgres'), echoConfig(), 2);
  [gateway] = replicas.all as [TestGateway, TestGateway];
});
afterEach(() => replicas.dispose());

async function svc(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: gateway.folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

async function paused(): Promise<string> {
  const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: `wire transfer ${SECRET}` }] });
  return body.run_id;
}

async function copyMeanwhile() {
  await expect.poll(async () => (await gateway.ledger()).length, { timeout: 60_000 }).toBeGreaterThan(20);
  return svc(['backup', 'copy', '--runs-db', replicas.url, '--json']);
}

it('a backup of a database in use is one consistent snapshot in a folder', async () => {
  let on = true;
  const callers = replicas.all.map(async (one) => {
    while (on) expect((await one.chat('hello')).status).toBe(200);
  });
  const copied = await copyMeanwhile().finally(async () => {
    on = false;
    await Promise.all(callers);
  });
  const { code, stdout, stderr } = copied;
  expect(code, stderr).toBe(0);
  const { records, head, fault } = JSON.parse(stdout);
  expect(fault).toBeNull();
  expect((await gateway.ledger())[records - 1]?.hash).toBe(head);
  expect((await svc(['ledger', 'verify', 'copy'])).code).toBe(3);
});

it('a run is erased on any replica, or at the database; another content key is refused', async () => {
  const [, other] = replicas.all as [TestGateway, TestGateway];
  const [first, second] = [await paused(), await paused()];
  const erased = await other.request('DELETE', `/v1/runs/${first}/content`, { principal: 'bob' });
  // The key is the operator's: copies from before are unreadable once it was exchanged.
  expect(erased).toMatchObject({ status: 200, body: { status: 'denied', backups_unreadable: false } });
  expect((await gateway.get(`/v1/runs/${first}`)).body.status).toBe('denied');
  const { env } = replicas;
  expect(await svc(['runs', 'erase', second, '--runs-db', replicas.url], env)).toMatchObject({ code: 0 });
  expect((await other.get(`/v1/runs/${second}`)).body.status).toBe('denied');
  const another = {
    config: echoConfig({ store: STORE }),
    args: ['--runs-db', replicas.url],
    env: { SVC_CONTENT_KEY: '0'.repeat(64) },
  };
  await expect(TestGateway.start(another)).rejects.toThrow(/store\.older_content_keys/);
  const wrong = ['runs', 'erase', await paused(), '--runs-db', replicas.url];
  expect(await svc(wrong, { ...env, SVC_CONTENT_KEY: '0'.repeat(64) })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('content key'),
  });
});
