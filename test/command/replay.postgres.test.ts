import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { echoConfig, MAIN, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';

const recorded = echoConfig({ server: { record_content: true } });

let replicas: Replicas;
let gateway: TestGateway;
beforeEach(async () => {
  replicas = await Replicas.start(inject('postgres'), recorded, 1);
  [gateway] = replicas.all as [TestGateway];
});
afterEach(() => replicas.dispose());

it('a database is read while gateways use it, with the content key of the configuration', async () => {
  await gateway.chat('fine');
  const blocked = (await gateway.chat('the codename')).headers.get('x-svc-run-id');
  const names = { type: 'rules', rules: [{ name: 'codename', words: ['codename'], verdict: 'block' }] };
  const { routes, ...rest } = echoConfig({ packs: { names } });
  const route = { ...(routes as { default: JsonObject }).default, pipeline: { ingress: ['names'], egress: [] } };
  writeFileSync(join(gateway.folder, 'next.yaml'), JSON.stringify({ ...rest, routes: { default: route } }));
  const svc = async (env: Record<string, string>) => {
    const args = [MAIN, 'replay', 'next.yaml', '--runs-db', replicas.url, '--json'];
    const child = spawn(process.execPath, args, { cwd: gateway.folder, env: { ...process.env, ...env } });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  };
  const { code, stdout, stderr } = await svc(replicas.env);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ replayed: 2, runs: { newly_blocked: [{ run_id: blocked }] } });
  expect(stderr).not.toContain('copy');
  const other = await svc({ ...replicas.env, SVC_CONTENT_KEY: '0'.repeat(64) });
  expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('content key') });
});
