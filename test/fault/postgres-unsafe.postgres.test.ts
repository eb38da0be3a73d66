import { commitSealed, createRun, fakeLogger, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore, sql } from '../../plugins/store-postgres/src/test-database.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';

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

it('a server that takes over with weaker settings gets no commit', async () => {
  const store = await openStore(server.url);
  await commitSealed(store, [createRun(sampleRun())]);
  await set('synchronous_commit', 'off');
  await server.halt();
  await server.resume();
  const refused = { name: 'StoreError', code: 'OPEN', message: expect.stringContaining('synchronous_commit') };
  for (let n = 0; n < 3; n += 1) await expect(store.commit([], [])).rejects.toMatchObject(refused);
  expect(await verifiedChain(store)).toHaveLength(1);
  await set('synchronous_commit', 'on');
  await commitSealed(store, [createRun(sampleRun())]);
  expect(await verifiedChain(store)).toHaveLength(2);
  await store.close();
  await sql(server.url, 'DROP SCHEMA svc CASCADE');
});

it.each([
  ['full_page_writes', 'full_page_writes = off', ''],
  // Standbys to wait for, and a user who does not.
  ['synchronous_commit', "synchronous_standby_names = 'one'", '?options=-c%20synchronous_commit%3Dlocal'],
])('a server that may lose acknowledged data (%s) is named in the log', async (setting, line, query) => {
  const warnings = async (): Promise<object[]> => {
    const logger = fakeLogger();
    await (await openStore(server.url + query, { logger })).close();
    return logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  };
  await sql(server.url + query, `ALTER SYSTEM SET ${line}`);
  await sql(server.url + query, 'SELECT pg_reload_conf()');
  // Servers take it up when they come to it.
  await until(async () => (await warnings()).length !== 0);
  expect(await warnings()).toEqual([{ event: 'store_may_lose', setting }]);
  await sql(server.url + query, `ALTER SYSTEM RESET ${setting === 'full_page_writes' ? setting : 'synchronous_standby_names'}`);
  await sql(server.url + query, 'SELECT pg_reload_conf()');
  await until(async () => (await warnings()).length === 0);
  await sql(server.url + query, 'DROP SCHEMA svc CASCADE');
});

it('a standby is refused for serving, but may be inspected', async () => {
  const store = await openStore(server.url);
  await commitSealed(store, [createRun(sampleRun())]);
  await store.close();
  await server.halt();
  await server.resumeAsStandby();
  expect(await sql(server.url, 'SELECT version FROM svc.schema_version')).toHaveLength(1);
  await expect(openStore(server.url)).rejects.toMatchObject({ code: 'OPEN', message: expect.stringContaining('standby') });
  const reading = await openStore(server.url, { access: 'must_exist' });
  expect(await verifiedChain(reading)).toHaveLength(1);
  await reading.close();
});
