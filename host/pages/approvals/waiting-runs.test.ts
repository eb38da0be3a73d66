import { expect, it } from 'vitest';
import type { StoredRun } from '../shared/api-types.ts';
import { groupsOf, merged } from './waiting-runs.ts';

const run = (run_id: string, created_at: string): StoredRun => ({
  run_id,
  route: 'default',
  principal_id: 'alice',
  status: 'paused',
  approvers: [],
  events: [],
  config_digest: 'sha256:0',
  created_at,
});

it('merges lists of routes, newest first, and keeps that there are more', () => {
  const one = { runs: [run('c', '2026-11-21T10:00:03.000Z'), run('a', '2026-11-21T10:00:01.000Z')], more: false };
  const two = { runs: [run('b', '2026-11-21T10:00:02.000Z')], more: true };
  const { runs, more } = merged([one, two]);
  expect(runs.map(({ run_id }) => run_id)).toEqual(['c', 'b', 'a']);
  expect(more).toBe(true);
});

it('puts runs of one request together, at the place of the newest', () => {
  const at = '2026-11-21T10:00:00.000Z';
  const [a, b, c, d] = [run('a', at), run('b', at), run('c', at), run('d', at)] as const;
  const groups = groupsOf([{ ...d, group: 'x' }, c, { ...b, group: 'x' }, { ...a, group: 'y' }]);
  expect(groups.map((group) => group.map(({ run_id }) => run_id))).toEqual([['d', 'b'], ['c'], ['a']]);
});
