import { fakeClock } from '@svc/sdk/testing';
import { it } from 'vitest';
import { openStore, temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';
import { commitsFollowModel } from './commit-model.ts';
import { countersFollowModel } from './counter-model.ts';

it('LMDB: rows, counts and indexes follow the model, whatever is committed together or at once', async () => {
  const open = async () => {
    const { folder, remove } = temporaryFolder();
    const store = await openStore(folder);
    return { store, close: () => store.close().then(remove) };
  };
  await commitsFollowModel(open);
});

it('LMDB: counters behave like the model, in any order of reserving, settling and waiting', async () => {
  const { folder, remove } = temporaryFolder();
  const clock = fakeClock();
  const store = await openStore(folder, clock);
  await countersFollowModel(store, clock);
  await store.close();
  remove();
});
