import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fakeClock, fakeLogger } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { LmdbStore } from './lmdb-store.ts';
import { openStore, temporaryFolder } from './test-store.ts';

test('a folder that must exist is not created', async () => {
  const { folder, remove } = temporaryFolder();
  const path = join(folder, 'runs-db');
  const store = new LmdbStore(path, 0, { clock: fakeClock(), logger: fakeLogger() });
  await expect(store.open('must_exist')).rejects.toMatchObject({ name: 'StoreError', code: 'OPEN' });
  expect(existsSync(path)).toBe(false);
  await (await openStore(path)).close();
  await store.open('must_exist');
  expect(await store.head()).toBeNull();
  await store.close();
  remove();
});
