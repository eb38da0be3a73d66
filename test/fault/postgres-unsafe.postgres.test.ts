import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore, sql } from '../../plugins/store-postgres/src/test-database.ts';
import { PostgresServer } from '../harness/postgres-server.ts';

// A server of its own: what is set here is set for every database of it.
let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

async function set(setting: string, value: 'on' | 'off'): Promise<void> {
  await sql(server.url, `ALTER SYSTEM SET ${setting} = ${value}`);
  await sql(server.url, 'SELECT pg_reload_conf()');
  // Servers take it up when they come to it.
  for (;;) {
    const [row] = await sql<{ now: string }>(server.url, 'SELECT current_setting($1) AS now', [setting]);
    if (row?.now === value) return;
  }
}

const tables = () => sql(server.url, `SELECT 1 FROM pg_namespace WHERE nspname = 'svc'`);

it.each(['fsync', 'synchronous_commit'])('a server with %s off is refused until it is on', async (setting) => {
  await set(setting, 'off');
  const refused = { name: 'StoreError', code: 'OPEN', message: expect.stringContaining(setting) };
  await expect(openStore(server.url)).rejects.toMatchObject(refused);
  await set(setting, 'on');
  await (await openStore(server.url)).close();
  expect(await tables()).toHaveLength(1);
  await sql(server.url, 'DROP SCHEMA svc CASCADE');
});

it('a standby is refused, although it can be read', async () => {
  await (await openStore(server.url)).close();
  await server.halt();
  await server.resumeAsStandby();
  expect(await sql(server.url, 'SELECT version FROM svc.schema_version')).toHaveLength(1);
  await expect(openStore(server.url)).rejects.toMatchObject({ code: 'OPEN', message: expect.stringContaining('standby') });
});
