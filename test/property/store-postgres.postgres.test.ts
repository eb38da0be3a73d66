import { fakeClock } from '@svc/sdk/testing';
import { afterEach, beforeEach, inject, it } from 'vitest';
import { emptied, openStore, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { commitsFollowModel } from './commit-model.ts';
import { countersFollowModel } from './counter-model.ts';

let url: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
});
afterEach(() => remove());

it('PostgreSQL: rows, counts and indexes follow the model, whatever is committed together or at once', async () => {
  const store = await openStore(url);
  // One store for all: a new one would connect four times.
  await commitsFollowModel(async () => {
    await emptied(url);
    return { store, close: async () => undefined };
  });
  await store.close();
});

it('PostgreSQL: counters behave like the model, in any order of reserving, settling and waiting', async () => {
  const clock = fakeClock();
  const store = await openStore(url, { clock });
  await countersFollowModel(store, clock);
  await store.close();
});
