import type { RunPage, Store } from '@svc/contracts';
import { expect, it } from 'vitest';
import { addUp, UsageSum } from './usage-sum.ts';

/** Runs without end. Each page has other runs. */
function endless(read: (page: number) => void): Pick<Store, 'runs'> {
  let pages = 0;
  return {
    runs: async (): Promise<RunPage> => {
      pages += 1;
      read(pages);
      return { rows: [], next: String(pages) };
    },
  };
}

it('refuses more sums than a response may contain', () => {
  const sum = new UsageSum('session', () => true, 'day');
  const row = { route: 'r', principal_id: 'p', status: 'completed', approver: null } as const;
  const add = (session: string) => sum.add({ ...row, session, created_at: '2026-11-27T10:00:00.000Z' });
  // Each session has a total and one day.
  for (let n = 0; n < 10_000; n += 1) add(`s${n}`);
  add('s0');
  expect(() => add('one more')).toThrow('SVC-REQ-001');
});

it('stops reading once nobody waits for the sum', async () => {
  const gone = new AbortController();
  let last = 0;
  const store = endless((page) => {
    last = page;
    if (page === 3) gone.abort();
  });
  await addUp(store, {}, new UsageSum('route', () => true), gone.signal);
  expect(last).toBe(3);
});
