import type { RunQuery } from '@svc/sdk/store';
import { createRun, fakeLogger, sampleRun } from '@svc/sdk/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Recent } from './commits.ts';
import { queryRuns } from './run-query.ts';
import { type Databases, openDatabases } from './tables/databases.ts';
import { openStore, temporaryFolder } from './test-store.ts';

const RUNS = 4000;
const LIVE = 10;

let dbs: Databases;
let remove: () => void;

/** Each filter alone matches half of the runs, two of them none. */
beforeAll(async () => {
  let folder: string;
  ({ folder, remove } = temporaryFolder());
  const store = await openStore(folder);
  const runs = Array.from({ length: RUNS }, (_, n) => {
    const half = n % 2 === 0 ? 'a' : 'b';
    const status = n < LIVE ? 'running' : half === 'a' ? 'completed' : 'blocked';
    return sampleRun({ principal_id: half, route: half, status, created_at: new Date(Date.UTC(2026, 0, 1) + n).toISOString() });
  });
  await store.commit(
    runs.map((run) => createRun(run)),
    [],
  );
  await store.close();
  dbs = await openDatabases(folder, fakeLogger());
});
afterAll(async () => {
  await dbs.env.close();
  remove();
});

const NONE: Omit<RunQuery, 'limit'>[] = [
  { principal: 'a', status: ['blocked'] },
  { route: 'b', status: ['completed'] },
  { principal: 'a', route: 'b' },
  { principal: 'a', route: 'b', status: ['completed', 'blocked'] },
  { principal: 'a', route: 'a', status: ['error'] },
  { principal: 'a', since: '2027' },
  { principal: 'a', until: '2025' },
  { route: 'a', status: ['paused', 'running'], since: '2027' },
];

test.each(NONE)('%j looks at no run but the live ones', async (filters) => {
  const get = vi.spyOn(dbs.runs, 'get');
  expect(await queryRuns(dbs, new Recent(null), { ...filters, limit: 1000 })).toEqual({ rows: [], next: null });
  expect(get.mock.calls.length).toBeLessThanOrEqual(LIVE);
  get.mockRestore();
});

test('a page of two filters looks at its runs, the live ones, and one more', async () => {
  const get = vi.spyOn(dbs.runs, 'get');
  const { rows } = await queryRuns(dbs, new Recent(null), {
    principal: 'b',
    route: 'b',
    status: ['running', 'blocked'],
    limit: 500,
  });
  expect(rows).toHaveLength(500);
  expect(get.mock.calls.length).toBeLessThanOrEqual(501 + LIVE);
  get.mockRestore();
});
