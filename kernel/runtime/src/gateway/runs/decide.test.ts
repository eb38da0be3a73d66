import { expect, it } from 'vitest';
import { troubledScene as scene } from './test-scene.ts';

it('leaves a run that waits for something else by the time when the decision reaches it', async () => {
  const { runs, start, store } = scene();
  const [read, other] = [(await start('wait')).row, (await start('wait')).row];
  expect(other.pause_keys).toEqual(read.pause_keys);
  const commit = store.commit.bind(store);
  store.commit = async (...changes) => {
    const outcome = await commit(...changes);
    const row = store.rows.get(other.run_id);
    // Another approver was faster, and the next node paused the run.
    if (row?.status === 'paused')
      store.rows.set(other.run_id, { ...row, pause_keys: [...(row.pause_keys ?? []), 'of another node'] });
    return outcome;
  };
  const decided = await runs.resume(read.run_id, 'bob', { decision: 'approved', digest: null });
  expect(decided.row.status).toBe('completed');
  expect(store.rows.get(other.run_id)).toMatchObject({ status: 'paused', approver: null });
});

it('has a person asked where the store cannot say whether a decision holds, and logs it', async () => {
  const { start, store, warnings } = scene();
  const read = store.readMeta;
  const failing = async (name: string) => (name.startsWith('decisions/') ? Promise.reject(new RangeError('secret')) : read(name));
  Object.assign(store, { readMeta: failing });
  const { row } = await start('wait');
  expect(row.status).toBe('paused');
  expect(warnings).toContainEqual({ event: 'decision_not_read', run_id: row.run_id, reason: 'RangeError' });
});
