import type { RunQuery, RunRow, Store } from '@svc/contracts';
import type { GROUPS } from './schemas.ts';

/** Rows of one read. Other requests are served between two reads. */
const PAGE = 500;

type GroupBy = (typeof GROUPS)[number];

interface Sums {
  runs: number;
  input_tokens: number;
  output_tokens: number;
  micro_usd: number;
  unpriced_runs: number;
  partial_runs: number;
}

type Counted = Pick<RunRow, 'route' | 'principal_id' | 'team' | 'key_id' | 'usage'>;

const NAME_OF: Readonly<Record<GroupBy, (row: Counted) => string | undefined>> = {
  key: ({ key_id }) => key_id,
  team: ({ team }) => team,
  principal: ({ principal_id }) => principal_id,
  route: ({ route }) => route,
};

/** Sums up the usage of runs in groups; null: runs without a team, or without a key that was created at run time. */
export class UsageSum {
  readonly #nameOf: (row: Counted) => string | undefined;
  readonly #isShown: (route: string) => boolean;
  readonly #sums = new Map<string | null, Sums>();

  /** @param isShown of which routes runs count */
  constructor(group_by: GroupBy, isShown: (route: string) => boolean) {
    this.#nameOf = NAME_OF[group_by];
    this.#isShown = isShown;
  }

  /** Ignores runs that called no model. */
  add(row: Counted): void {
    const { usage } = row;
    if (usage === undefined || !this.#isShown(row.route)) return;
    const sums = this.#sumsOf(this.#nameOf(row) ?? null);
    sums.runs += 1;
    sums.input_tokens += usage.input_tokens;
    sums.output_tokens += usage.output_tokens;
    sums.micro_usd += usage.micro_usd ?? 0;
    if (usage.micro_usd === null) sums.unpriced_runs += 1;
    if (usage.cost === 'partial') sums.partial_runs += 1;
  }

  /** Groups with the most tokens first. `usd` covers the runs that have a price. */
  groups() {
    return [...this.#sums]
      .map(([name, { micro_usd, ...sums }]) => ({ name, ...sums, usd: micro_usd / 1_000_000 }))
      .toSorted((a, b) => b.input_tokens + b.output_tokens - a.input_tokens - a.output_tokens);
  }

  #sumsOf(name: string | null): Sums {
    const known = this.#sums.get(name);
    if (known !== undefined) return known;
    const sums = { runs: 0, input_tokens: 0, output_tokens: 0, micro_usd: 0, unpriced_runs: 0, partial_runs: 0 };
    this.#sums.set(name, sums);
    return sums;
  }
}

/** Adds the runs of a query, page by page, until the signal aborts. */
export async function addUp(
  store: Pick<Store, 'runs'>,
  query: Pick<RunQuery, 'since' | 'until' | 'principal'>,
  sum: UsageSum,
  gone: AbortSignal,
): Promise<void> {
  let cursor: string | null = null;
  do {
    const page = await store.runs({ ...query, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    // A store that ignores `until` returns more.
    for (const row of page.rows) if (query.until === undefined || row.created_at < query.until) sum.add(row);
    cursor = page.next;
  } while (cursor !== null && !gone.aborted);
}
