import { RUN_STATUSES, type RunQuery } from '@svc/sdk/store';
import { createRun, fakeLogger, sampleRun } from '@svc/sdk/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Connections } from './connections.ts';
import { databaseUrl } from './database-url.ts';
import { statementOf } from './run-query.ts';
import { openStore, temporaryDatabase } from './test-database.ts';

const RUNS = 60_000;
const GROUP = 256;
const LIMIT = 50;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

let db: Connections;
let remove: () => Promise<void>;
const at = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();

/** Each filter alone matches half of the runs; two together may match none. */
beforeAll(async () => {
  let url: string;
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
  const store = await openStore(url);
  const runs = Array.from({ length: RUNS }, (_, n) => {
    const half = n % 2 === 0 ? 'a' : 'b';
    return sampleRun({ principal_id: half, route: half, status: half === 'a' ? 'completed' : 'blocked', created_at: at(n) });
  });
  // In groups like the kernel's: the server ends a transaction that is silent for 5 s, as on a busy machine that prepares everything at once.
  for (let from = 0; from < runs.length; from += GROUP) {
    await store.commit(
      runs.slice(from, from + GROUP).map((run) => createRun(run)),
      [],
    );
  }
  await store.close();
  db = new Connections(databaseUrl(url), 2, fakeLogger());
});
afterAll(async () => {
  await db.close();
  await remove();
});

/** How many rows the server read for a page, including those that it discarded. */
async function rowsRead(query: Omit<RunQuery, 'limit'>, position: [string, string] | null): Promise<number> {
  const { select, values } = statementOf({ ...query, limit: LIMIT });
  const found = await db.read<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${select(LIMIT)}`, [
    ...(position ?? [null, null]),
    ...values,
  ]);
  const sum = (plan: Plan): number => {
    const own = plan['Node Type'].includes('Scan') ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0;
    return (plan.Plans ?? []).reduce((total, child) => total + sum(child), own);
  };
  return (found[0]?.['QUERY PLAN'] ?? []).reduce((total, { Plan }) => total + sum(Plan), 0);
}

const QUERIES: Omit<RunQuery, 'limit'>[] = [
  {},
  { status: ['blocked'] },
  { principal: 'a' },
  { route: 'b' },
  { principal: 'a', status: ['blocked'] },
  { route: 'b', status: ['completed', 'error'] },
  { principal: 'a', route: 'b' },
  { principal: 'a', route: 'a', status: ['completed'] },
  { principal: 'a', since: at(RUNS - 3) },
  { route: 'a', status: ['blocked'], since: at(0) },
  { principal: 'a', until: at(4) },
];

test.each(QUERIES)('%j reads only the rows of its page, for each status', async (query) => {
  for (const position of [null, [at(RUNS / 2), 'x'] satisfies [string, string]]) {
    expect(await rowsRead(query, position)).toBeLessThanOrEqual(LIMIT * RUN_STATUSES.length);
  }
});
