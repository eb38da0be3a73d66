import { commitSealed, createRun, fakeLogger, sampleRun } from '@svc/sdk/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { LOCK_HEAD } from '../../plugins/store-postgres/src/commit.ts';
import { Connections } from '../../plugins/store-postgres/src/connections.ts';
import { databaseUrl } from '../../plugins/store-postgres/src/database-url.ts';
import { MIGRATION_LOCK, migrate } from '../../plugins/store-postgres/src/migrate.ts';
import { hold, openStore, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { DatabaseProxy } from '../harness/database-proxy.ts';

let url: string;
let remove: () => Promise<void>;
let proxy: DatabaseProxy;
beforeEach(async () => {
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
  proxy = await DatabaseProxy.start(url);
});
afterEach(async () => {
  await proxy.close();
  await remove();
});

it('a replica that stops reading from the server loses the head of the ledger to the others', {
  timeout: 120_000,
}, async () => {
  const others = await openStore(url);
  const stuck = new Connections(databaseUrl(proxy.url), 1, fakeLogger());
  const sending = proxy.holdAnswerTo('generate_series');
  const lost = stuck.transaction(async (tx) => {
    await tx.begin(LOCK_HEAD);
    // More than all buffers in between take.
    await tx.query('much', `SELECT repeat('x', 100000) FROM generate_series(1, 3000)`, []);
  });
  const failed = expect(lost).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await sending;
  const [outcome] = await commitSealed(others, [createRun(sampleRun())]);
  expect(outcome?.result).toBe('committed');
  await others.close();
  proxy.cut();
  await failed;
  await stuck.close();
});

it('a start gives up if others do not finish theirs', async () => {
  const another = await hold(url, `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const refused = { name: 'StoreError', code: 'OPEN', message: expect.stringContaining('55P03') };
  await expect(migrate(databaseUrl(url), fakeLogger(), 500)).rejects.toMatchObject(refused);
  await another.release();
  await (await openStore(url)).close();
});

it('a start gives up if the network drops everything', async () => {
  const stuck = proxy.holdAnswerTo('pg_try_advisory_lock');
  const started = migrate(databaseUrl(proxy.url), fakeLogger(), 1000);
  const failed = expect(started).rejects.toMatchObject({ name: 'StoreError', code: 'OPEN' });
  await stuck;
  await failed;
});
