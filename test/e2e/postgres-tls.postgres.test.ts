import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeLogger } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, sql } from '../../plugins/store-postgres/src/test-database.ts';
import { PostgresServer } from '../harness/postgres-server.ts';

const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

let folder: string;
let server: PostgresServer;

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** A certificate for `localhost` by a CA of its own. */
function makeCertificates(): void {
  const newKey = ['req', '-newkey', 'rsa:2048', '-nodes'];
  openssl(...newKey, '-x509', '-days', '2', '-subj', '/CN=svc test CA', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl(...newKey, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  const ca = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-days', '2', '-in', 'server.csr', ...ca, '-extfile', 'names', '-out', 'server.crt');
}

/** As an administrator does. */
async function turnOn(): Promise<void> {
  const [row] = await sql<{ data_directory: string }>(server.url, 'SHOW data_directory');
  const data = row?.data_directory ?? '';
  const { uid, gid } = statSync(data);
  for (const file of ['server.key', 'server.crt']) {
    copyFileSync(join(folder, file), join(data, file));
    if (process.getuid?.() === 0) chownSync(join(data, file), uid, gid);
  }
  await sql(server.url, 'ALTER SYSTEM SET ssl = on');
  await sql(server.url, 'SELECT pg_reload_conf()');
  for (;;) {
    const [found] = await sql<{ ssl: string }>(server.url, 'SHOW ssl');
    if (found?.ssl === 'on') return;
  }
}

function urlOf(host: string, query: string): string {
  const url = new URL(server.url);
  url.hostname = host;
  return `${url.href}?${query}`;
}

/** Whether the store's connections to the server are encrypted, and what it warned of. */
async function opened(url: string): Promise<{ encrypted: boolean; warnings: object[] }> {
  const logger = fakeLogger();
  const store = await openStore(url, { logger });
  await store.head();
  const rows = await sql<{ ssl: boolean }>(
    server.url,
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'svc'`,
  );
  await store.close();
  expect(rows).toHaveLength(1);
  return { encrypted: rows[0]?.ssl === true, warnings: logger.lines.map(({ fields }) => fields) };
}

describe.skipIf(!canMakeCertificates)('TLS to the database', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
    makeCertificates();
    server = await PostgresServer.start();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const ca = () => `sslrootcert=${join(folder, 'ca.crt')}`;

  it('is required, so a server without TLS is refused', async () => {
    const refused = {
      code: 'OPEN',
      message: expect.stringContaining('does not support TLS: enable ssl there, or set sslmode=disable'),
    };
    await expect(openStore(urlOf('localhost', `sslmode=require&${ca()}`))).rejects.toMatchObject(refused);
  });

  it('is verified, including the name, with require and verify-full, and used only if requested', async () => {
    await turnOn();
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const verified = await opened(urlOf('localhost', `sslmode=${mode}&${ca()}`));
      expect(verified).toEqual({ encrypted: true, warnings: [] });
      const byNobody = { code: 'OPEN', message: expect.stringContaining('sslrootcert') };
      await expect(openStore(urlOf('localhost', `sslmode=${mode}`))).rejects.toMatchObject(byNobody);
      const byAnotherName = { code: 'OPEN', message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') };
      await expect(openStore(urlOf('127.0.0.1', `sslmode=${mode}&${ca()}`))).rejects.toMatchObject(byAnotherName);
    }
    expect(await opened(urlOf('127.0.0.1', 'sslmode=no-verify'))).toEqual({
      encrypted: true,
      warnings: [{ event: 'store_not_verified' }],
    });
    expect(await opened(urlOf('127.0.0.1', ''))).toEqual({ encrypted: false, warnings: [] });
  });
});
