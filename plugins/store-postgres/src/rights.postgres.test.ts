import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { PostgresStore } from './postgres-store.ts';
import { openStore, sql, temporaryDatabase, userOf } from './test-database.ts';

const DML = 'SELECT, INSERT, UPDATE, DELETE';

let url: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
});
const users: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const removeUser of users.splice(0)) await removeUser();
  await remove();
});

/** A user of the tables that their owner has created. */
async function user(rights: string): Promise<{ url: string; role: string }> {
  await (await openStore(url)).close();
  const made = await userOf(url, rights);
  users.push(made.remove);
  return made;
}

/** Uses every kind of write, and reads. */
async function useAll(store: PostgresStore): Promise<void> {
  const run = sampleRun();
  const content = { name: 'payload', bytes: Uint8Array.of(1), expires_at: 1 };
  await store.counters.reserve(run.run_id, [{ key: 'k', amount: 1, limit: 9, expires_at: Number.MAX_SAFE_INTEGER }]);
  await commitSealed(store, [createRun(run, { put_content: [content], unique_key: run.run_id })]);
  expect(await store.expireContent(2, 10)).toBe(1);
  const lease = await store.acquireLease('export', 'a', 60_000);
  if (lease === null) throw new Error('the lease is held');
  expect(await store.moveCursor('export', 1, lease)).toBe(true);
  await store.releaseLease(lease);
  expect(await store.writeMeta('k', null, 'v')).toBe(true);
  expect(await store.commit([], [])).toEqual([]);
  expect(await store.counters.read(['k'])).toEqual([1]);
  expect((await store.runs({ limit: 10 })).rows).toHaveLength(1);
  expect(await verifiedChain(store)).toHaveLength(1);
  const items = [];
  for await (const item of store.dump()) items.push(item);
  expect(items.length).toBeGreaterThan(5);
}

describe('access rights', () => {
  test('a user with rights on rows only can use a database whose tables are current', async () => {
    const store = await openStore((await user(DML)).url);
    await useAll(store);
    await store.close();
  });

  test('so can a user who may only append to the ledger, who also ends an outage', async () => {
    const { url: as, role } = await user(DML);
    await sql(url, `REVOKE UPDATE, DELETE ON svc.ledger FROM ${role}`);
    const store = await openStore(as);
    await useAll(store);
    await store.close();
    await expect(sql(as, 'DELETE FROM svc.ledger')).rejects.toMatchObject({ code: '42501' });
  });

  test('the owner of a given schema creates the tables in it, without the right to create schemas', async () => {
    await sql(url, 'CREATE SCHEMA svc');
    const { url: as, role, remove: removeUser } = await userOf(url, 'SELECT');
    users.push(removeUser);
    await sql(url, `GRANT CREATE ON SCHEMA svc TO ${role}`);
    const store = await openStore(as);
    await useAll(store);
    await store.close();
  });

  test('a user without the right to read gets an error that names the right', async () => {
    const { url: as, role } = await user(DML);
    await sql(url, `REVOKE ALL ON ALL TABLES IN SCHEMA svc FROM ${role}`);
    await sql(url, `REVOKE USAGE ON SCHEMA svc FROM ${role}`);
    const refused = { name: 'StoreError', code: 'OPEN', message: expect.stringContaining('GRANT') };
    await expect(openStore(as)).rejects.toMatchObject(refused);
  });
});

describe('a database that must exist', () => {
  test('can be read by a user who has no other right', async () => {
    const owner = await openStore(url);
    await useAll(owner);
    await owner.close();
    const reading = await openStore((await user('SELECT')).url, { access: 'must_exist' });
    expect(await verifiedChain(reading)).toHaveLength(1);
    expect((await reading.runs({ limit: 10 })).rows).toHaveLength(1);
    await reading.close();
  });

  test.each([
    ['nothing is in it', [], 'OPEN'],
    ['its tables are older', ['UPDATE svc.schema_version SET version = version - 1'], 'SCHEMA'],
    ['its tables are newer', ['UPDATE svc.schema_version SET version = version + 1'], 'SCHEMA'],
    ['another program has the schema', ['ALTER TABLE svc.schema_version RENAME TO other'], 'SCHEMA'],
  ])('is refused if %s, and left unchanged', async (_, changes, code) => {
    if (changes.length > 0) await (await openStore(url)).close();
    for (const change of changes) await sql(url, change);
    const tables = () => sql(url, `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('svc') ORDER BY 1`);
    const before = await tables();
    await expect(openStore(url, { access: 'must_exist' })).rejects.toMatchObject({ name: 'StoreError', code });
    expect(await tables()).toEqual(before);
  });
});

describe('whatever is configured for transactions', () => {
  const READ_ONLY = 'default_transaction_read_only = on';
  const SERIALIZABLE = `default_transaction_isolation = 'serializable'`;

  test.each([READ_ONLY, SERIALIZABLE])('for the role (%s), the store writes', async (setting) => {
    const { url: as, role } = await user(DML);
    await sql(url, `ALTER ROLE ${role} SET ${setting}`);
    const store = await openStore(as);
    await useAll(store);
    await store.close();
  });

  test.each([READ_ONLY, SERIALIZABLE])('for the database (%s), it makes its tables, writes and is loaded', async (setting) => {
    await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
    const store = await openStore(url);
    await store.load(
      (async function* () {
        yield { kind: 'meta', key: 'id', value: 'x' } as const;
      })(),
    );
    await useAll(store);
    await store.close();
  });

  test('in the URL, the store writes nevertheless', async () => {
    const options = encodeURIComponent('-c default_transaction_read_only=on');
    const store = await openStore(`${url}?options=${options}`);
    await useAll(store);
    await store.close();
  });

  test('two replicas that commit at once never fail each other', async () => {
    const { url: as, role } = await user(DML);
    await sql(url, `ALTER ROLE ${role} SET ${SERIALIZABLE}`);
    const stores = await Promise.all([openStore(as), openStore(as)]);
    await Promise.all(
      stores.map(async (store) => {
        for (let n = 0; n < 10; n += 1) await commitSealed(store, [createRun(sampleRun())]);
      }),
    );
    expect(await verifiedChain(stores[0])).toHaveLength(20);
    for (const store of stores) await store.close();
  });
});

test('content expires within its limit, with any query plan', async () => {
  const plans = ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort'];
  for (const plan of plans) await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET enable_${plan} = off`);
  const store = await openStore(url);
  await sql(url, `INSERT INTO svc.content SELECT 'run ' || n, 'a', '', n FROM generate_series(1, 300) AS n`);
  expect(await store.expireContent(1000, 10)).toBe(10);
  expect(await sql(url, 'SELECT min(expires_at)::int AS first, count(*)::int AS n FROM svc.content')).toEqual([
    { first: 11, n: 290 },
  ]);
  expect(await store.expireContent(20, 100)).toBe(10);
  await store.close();
});
