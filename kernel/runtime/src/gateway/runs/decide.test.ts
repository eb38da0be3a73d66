import { describe, expect, it } from 'vitest';
import { troubledScene as scene } from './test-scene.ts';

it('leaves a run alone that no longer waits when the decision arrives', async () => {
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

it('asks a person if the store cannot say whether a decision applies, and logs it', async () => {
  const { start, store, warnings } = scene();
  const read = store.readMeta;
  const failing = async (name: string) => (name.startsWith('decisions/') ? Promise.reject(new RangeError('secret')) : read(name));
  Object.assign(store, { readMeta: failing });
  const { row } = await start('wait');
  expect(row.status).toBe('paused');
  expect(warnings).toContainEqual({ event: 'decision_not_read', run_id: row.run_id, reason: 'RangeError' });
});

describe('with self_approval: false', () => {
  const person = { issuer: 'https://login.example', subject: '1' };
  const approval = { decision: 'approved', digest: null, identity: person } as const;

  it('refuses the caller under another name', async () => {
    const { runs, start } = scene({ self_approval: false });
    const { row } = await start('wait', { identity: person });
    expect(row).toMatchObject(person);
    await expect(runs.resume(row.run_id, 'alison', approval)).rejects.toMatchObject({ code: 'SVC-AUTH-003' });
    await expect(runs.stored.pending(row.run_id, 'alison', approval)).rejects.toMatchObject({ code: 'SVC-AUTH-003' });
    const other = { ...approval, identity: { ...person, subject: '2' } };
    expect((await runs.resume(row.run_id, 'alison', other)).row.status).toBe('completed');
  });

  it('leaves out a copy that the approver sent under another name, and logs it', async () => {
    const { runs, start, store, warnings } = scene({ self_approval: false });
    const byKey = (await start('wait')).row;
    const own = (await start('wait', { identity: person })).row;
    expect(own.pause_keys).toEqual(byKey.pause_keys);
    expect((await runs.resume(byKey.run_id, 'alison', approval)).row.status).toBe('completed');
    expect(store.rows.get(own.run_id)?.status).toBe('paused');
    const left = { event: 'decision_left', run_id: own.run_id, together_with: byKey.run_id, reason: 'SVC-AUTH-003' };
    expect(warnings).toContainEqual(left);
  });
});
