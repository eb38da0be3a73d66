import { fakeClock } from '@svc/sdk/testing';
import { afterEach, beforeEach, inject, it } from 'vitest';
import { openStore, sql, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { commitsFollowModel } from './commit-model.ts';
import { countersFollowModel } from './counter-model.ts';

let url: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
});
afterEach(() => remove());

it('PostgreSQL: rows, counts and indexes follow the model, whatever is committed together or at once', async () => {
  const open = async () => {
    await sql(url, 'DROP SCHEMA IF EXISTS svc CASCADE');
    const store = await openStore(url);
    return { store, close: () => store.close() };
  };
  await commitsFollowModel(open);
});

it('PostgreSQL: counters behave like the model, in any order of reserving, settling and waiting', async () => {
  const clock = fakeClock();
  const store = await openStore(url, { clock });
  await countersFollowModel(store, clock);
  await store.close();
});
