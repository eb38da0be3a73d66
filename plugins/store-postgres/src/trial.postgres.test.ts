import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { expect, inject, test } from 'vitest';
import { openStore, sql, temporaryDatabase } from './test-database.ts';

test.each(['run', 'content', 'ledger'])('an empty commit fails if there is no space for rows of svc.%s', async (table) => {
  const { url, remove } = await temporaryDatabase(inject('postgres'));
  const store = await openStore(url);
  try {
    await commitSealed(store, [createRun(sampleRun())]);
    await sql(
      url,
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$`,
    );
    await sql(url, `CREATE TRIGGER full_disk BEFORE INSERT ON svc.${table} EXECUTE FUNCTION full_disk()`);
    const refused = { name: 'StoreError', code: 'UNREACHABLE', message: expect.stringContaining('53100') };
    for (let n = 0; n < 3; n += 1) await expect(store.commit([], [])).rejects.toMatchObject(refused);
    await sql(url, `DROP TRIGGER full_disk ON svc.${table}`);
    expect(await store.commit([], [])).toEqual([]);
    await commitSealed(store, [createRun(sampleRun())]);
    expect(await verifiedChain(store)).toHaveLength(2);
  } finally {
    await store.close();
    await remove();
  }
});
