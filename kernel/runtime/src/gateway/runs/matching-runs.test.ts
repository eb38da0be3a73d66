import type { RunPage, RunQuery, RunRow, StoredRecord } from '@svc/contracts';
import { expect, it } from 'vitest';
import { type EventFilter, matchingRuns } from './matching-runs.ts';

/** Runs in the order of a list, each with a record; one in `every` was masked. */
class Runs {
  readonly #rows: readonly RunRow[];
  readonly #every: number;
  read = 0;

  constructor(count: number, every: number) {
    this.#rows = Array.from(
      { length: count },
      (_, n) => ({ run_id: String(n), events: [], evidence: { seq: n + 1 } }) as unknown as RunRow,
    );
    this.#every = every;
  }

  async runs({ limit, cursor = '0' }: RunQuery): Promise<RunPage> {
    const end = Number(cursor) + limit;
    this.read += limit;
    return { rows: this.#rows.slice(Number(cursor), end), next: end < this.#rows.length ? String(end) : null };
  }

  async recordsBySeq(seqs: readonly number[]): Promise<StoredRecord[]> {
    return seqs.map((seq) => {
      const [verdict, code] = (seq - 1) % this.#every === 0 ? ['sanitize', 'Account'] : ['allow', 'account-free'];
      return { seq, bytes: JSON.stringify({ events: [{ data: { code, verdict }, event_type: 'verdict' }] }) };
    });
  }
}

async function pages(runs: Runs, limit: number, filter: EventFilter): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await matchingRuns({ limit, ...(cursor !== undefined && { cursor }) }, filter, runs);
    all.push(page.rows.map(({ run_id }) => run_id));
    cursor = page.next;
  }
  return all;
}

it.each([
  [1, 300],
  [7, 3],
  [100, 2],
  [1000, 1],
])('pages of %i find each run once, one in %i', async (limit, every) => {
  const found = await pages(new Runs(1501, every), limit, { verdict: 'sanitize' });
  expect(found.flat()).toEqual(Array.from({ length: Math.ceil(1501 / every) }, (_, n) => String(n * every)));
  expect(Math.max(...found.map((page) => page.length))).toBeLessThanOrEqual(limit);
});

it('a page ends after 10,000 runs, and the next one continues there', async () => {
  const runs = new Runs(20_500, 20_400);
  const first = await matchingRuns({ limit: 10 }, { code: 'ACCOUNT' }, runs);
  expect([first.rows.length, first.next, runs.read]).toEqual([1, '10000', 10_000]);
  expect((await pages(runs, 10, { code: 'account' })).map((page) => page.length)).toEqual([1, 0, 1]);
});

it('the code of an allowed text is found only with its verdict', async () => {
  expect(await pages(new Runs(3, 3), 10, { code: 'account-free' })).toEqual([[]]);
  expect(await pages(new Runs(3, 3), 10, { code: 'account-free', verdict: 'allow' })).toEqual([['1', '2']]);
});
