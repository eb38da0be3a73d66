import { expect, it } from 'vitest';
import { troubledScene } from './test-scene.ts';

it('skips a run that the store no longer has, and continues', async () => {
  const { runs, start, store } = troubledScene();
  const changes = runs.pausedChanges();
  const [lost, other] = [(await start('wait')).row, (await start('wait for this')).row];
  expect(await changes.next()).toEqual([]);
  store.rows.delete(lost.run_id);
  await runs.resume(other.run_id, 'bob', { decision: 'approved', digest: null });
  expect(await changes.next()).toMatchObject([{ change: 'decided', run: { row: { run_id: other.run_id } } }]);
  const { row } = await start('wait again');
  expect(await changes.next()).toMatchObject([{ change: 'waiting', run: { row: { run_id: row.run_id } } }]);
});

it('rejects if the store cannot be read, and finds the change the next time', async () => {
  const { runs, start, store } = troubledScene();
  const changes = runs.pausedChanges();
  const { row } = await start('wait');
  await changes.next();
  await runs.resume(row.run_id, 'bob', { decision: 'denied', digest: null });
  const read = store.run.bind(store);
  store.run = async () => Promise.reject(new RangeError('disk'));
  await expect(changes.next()).rejects.toThrow();
  store.run = read;
  expect(await changes.next()).toMatchObject([{ change: 'decided' }]);
});
