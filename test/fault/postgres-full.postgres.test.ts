import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';

/** A disk of its own for the tables: only root may make one. */
const mount = (folder: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'svc-test', folder]).status === 0;
const canMount = ((): boolean => {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const mounted = mount(folder);
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
})();

let server: PostgresServer;
let upstream: Upstream;
let gateway: TestGateway;
let disk: string;
let asked = 0;

beforeEach(async (context) => {
  context.skip(!canMount);
  disk = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  if (!mount(disk)) throw new Error('no disk');
  await chmod(disk, 0o777);
  server = await PostgresServer.start();
  const tables = join(disk, 'tables');
  mkdirSync(tables);
  // Its user owns it, whatever its number.
  spawnSync('chown', ['postgres', tables]);
  await sql(server.url, `CREATE TABLESPACE small LOCATION '${tables}'`);
  await sql(server.url, 'CREATE DATABASE full_one TABLESPACE small');
  const url = new URL(server.url);
  url.pathname = '/full_one';
  upstream = await startUpstream();
  const route = { provider: 'upstream', model: 'm-1' };
  const providers = { upstream: { type: 'openai', base_url: upstream.url } };
  gateway = await TestGateway.start({
    config: echoConfig({ providers, routes: { default: route } }),
    args: ['--runs-db', url.href],
  });
  asked = upstream.requests.length;
});
afterEach(async () => {
  await gateway?.dispose();
  await upstream?.close();
  await server?.stop();
  spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** Takes all that is left of the disk. */
async function fill(): Promise<void> {
  const { bavail, bsize } = statfsSync(disk);
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
}

it('while the disk of the database is full no model is called, and service resumes once there is space', {
  timeout: 120_000,
}, async () => {
  expect((await gateway.chat('hello')).status).toBe(200);
  await fill();
  // What has room in pages that are there already may still be written.
  for (let status = 200; status === 200; ) ({ status } = await gateway.chat('x'.repeat(2000)));
  asked = upstream.requests.length;
  for (let n = 0; n < 20; n += 1) {
    expect((await gateway.get('/v1/health')).status).toBe(503);
    expect(await gateway.chat('hello')).toMatchObject({ status: 503, body: { code: 'SVC-STORE-001' } });
  }
  expect(upstream.requests.length).toBe(asked);
  await rm(join(disk, 'filler'));
  await until(async () => (await gateway.get('/v1/health')).status === 200);
  for (let n = 0; n < 20; n += 1) expect((await gateway.chat('hello')).status).toBe(200);
});
