import { verifyLedger } from '@svc/ledger';
import { expect, it } from 'vitest';
import type { TroubledStore } from '../../records/ledger/test-store.ts';
import { troubledScene as scene } from './test-scene.ts';

const chain = (store: TroubledStore) => verifyLedger(store.ledger.map(({ bytes }) => bytes));
const REFUSED = { code: 'SVC-STORE-001', status: 503 };

it('does not return an answer whose evidence cannot be written, because an automatic retry would pay twice', async () => {
  const { start, store, breakDuringCall } = scene();
  breakDuringCall('before');
  await expect(start('hello')).rejects.toMatchObject({ ...REFUSED, paid: true });
  // The start of the run remains in the store, so that recovery ends the run.
  expect([...store.rows.values()]).toMatchObject([{ status: 'running', version: 1, evidence: null }]);
});

it('calls no model while evidence cannot be written', async () => {
  const { start, startInBackground, store, calls, breakDuringCall } = scene();
  breakDuringCall('before');
  await expect(start('hello')).rejects.toMatchObject(REFUSED);
  await expect(start('hello')).rejects.toMatchObject({ ...REFUSED, paid: false });
  await expect(startInBackground('hello')).rejects.toMatchObject(REFUSED);
  expect(calls()).toBe(1);
  expect(store.rows.size).toBe(1);
});

it('returns an answer whose evidence is on disk even if the commit rejected, with that evidence', async () => {
  const { start, store, breakDuringCall } = scene();
  breakDuringCall('after');
  const { row, completion } = await start('hello');
  expect(row.status).toBe('completed');
  expect(row.evidence).toEqual({ seq: 1, hash: store.ledger[0]?.hash });
  expect(completion).not.toBeNull();
});

it('continues as soon as writes work again, with an intact chain', async () => {
  const { start, store, breakDuringCall } = scene();
  await start('hello');
  breakDuringCall('before');
  await expect(start('hello')).rejects.toMatchObject(REFUSED);
  breakDuringCall('after');
  store.trouble = null;
  expect((await start('hello')).row.evidence).toMatchObject({ seq: 2 });
  expect(await chain(store)).toMatchObject({ records: 2, fault: null });
});

it('reports no pause that is not on disk', async () => {
  const { start, store } = scene();
  store.trouble = 'before';
  await expect(start('wait')).rejects.toMatchObject({ ...REFUSED, paid: false });
  expect(store.rows.size).toBe(0);
});

it('a decision that is not on disk has no effect: the run stays paused and can be decided again', async () => {
  const { runs, start, store, calls } = scene();
  const { row } = await start('wait');
  store.trouble = 'before';
  await expect(runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null })).rejects.toMatchObject(REFUSED);
  await expect(runs.resume(row.run_id, 'bob', { decision: 'denied', digest: null })).rejects.toMatchObject(REFUSED);
  expect(store.rows.get(row.run_id)?.status).toBe('paused');
  expect(calls()).toBe(0);
  store.trouble = null;
  const resumed = await runs.resume(row.run_id, 'carol', { decision: 'approved', digest: null });
  expect(resumed.row).toMatchObject({ status: 'completed', approver: { principal_id: 'carol' } });
  expect(resumed.events.filter(({ event_type }) => event_type === 'decision')).toHaveLength(1);
  expect(calls()).toBe(1);
});

it('if the commits of two approvals reject after they were written, one continues and the model is called once', async () => {
  const { runs, start, store, calls } = scene();
  const { row } = await start('wait');
  store.trouble = 'after';
  await Promise.allSettled([
    runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null }),
    runs.resume(row.run_id, 'carol', { decision: 'approved', digest: null }),
  ]);
  expect(calls()).toBe(1);
});

it('accepts a new background run only when it is on disk', async () => {
  const { startInBackground, store, calls } = scene();
  store.trouble = 'before';
  await expect(startInBackground('hello')).rejects.toMatchObject(REFUSED);
  expect(store.rows.size).toBe(0);
  expect(calls()).toBe(0);
});
