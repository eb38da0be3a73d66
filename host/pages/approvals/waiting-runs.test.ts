import { expect, it } from 'vitest';
import type { StoredRun } from '../shared/api-types.ts';
import { groupsOf } from './waiting-runs.ts';

const run = (run_id: string, second = 0): StoredRun => ({
  run_id,
  route: 'default',
  principal_id: 'alice',
  status: 'paused',
  approvers: [],
  events: [],
  config_digest: 'sha256:0',
  created_at: `2026-11-21T10:00:0${second}.000Z`,
});
const idsOf = (runs: readonly StoredRun[]) => groupsOf(runs).map((group) => group.map(({ run_id }) => run_id));

it('orders requests oldest first, and by id within a millisecond', () => {
  expect(idsOf([run('c', 3), run('e'), run('d'), run('b', 2)])).toEqual([['d'], ['e'], ['b'], ['c']]);
});

it('groups runs of the same request at the position of the oldest', () => {
  const [a, b, c, d] = [run('a', 1), run('b', 2), run('c', 3), run('d', 4)];
  expect(idsOf([{ ...d, group: 'x' }, c, { ...b, group: 'x' }, { ...a, group: 'y' }])).toEqual([['a'], ['b', 'd'], ['c']]);
});
