import type { RunPage, Store } from '@svc/contracts';
import { expect, it } from 'vitest';
import { addUp, UsageSum } from './usage-sum.ts';

/** Runs without end, of which each page is another. */
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

it('reads no further once nobody waits for it', async () => {
  const gone = new AbortController();
  let last = 0;
  const store = endless((page) => {
    last = page;
    if (page === 3) gone.abort();
  });
  await addUp(store, {}, new UsageSum('route', () => true), gone.signal);
  expect(last).toBe(3);
});
