import { type RunQuery, type RunRow, type Store, SvcError } from '@svc/contracts';
import type { GROUPS } from './schemas.ts';

/** Rows of one read. Other requests are served between two reads. */
const PAGE = 500;
/** Sessions and users have no bound of their own. */
const MAX_GROUPS = 10_000;

type GroupBy = (typeof GROUPS)[number];

interface Sums {
  name: string | null;
  /** Of a session or user, which belong to one principal. */
  principal_id?: string;
  runs: number;
  input_tokens: number;
  output_tokens: number;
  micro_usd: number;
  unpriced_runs: number;
  partial_runs: number;
}

type Counted = Pick<RunRow, 'route' | 'principal_id' | 'team' | 'key_id' | 'session' | 'client' | 'user' | 'usage'>;

const NAME_OF: Readonly<Record<GroupBy, (row: Counted) => string | undefined>> = {
  key: ({ key_id }) => key_id,
  team: ({ team }) => team,
  principal: ({ principal_id }) => principal_id,
  route: ({ route }) => route,
  session: ({ session }) => session,
  client: ({ client }) => client,
  user: ({ user }) => user,
};
const OF_PRINCIPAL: readonly GroupBy[] = ['session', 'user'];

/** Sums up the usage of runs in groups; null: runs without a team, a key that was created at run time, a session, a client or a user. */
export class UsageSum {
  readonly #nameOf: (row: Counted) => string | undefined;
  readonly #ofPrincipal: boolean;
  readonly #isShown: (route: string) => boolean;
  readonly #sums = new Map<string, Sums>();

  /** @param isShown of which routes runs count */
  constructor(group_by: GroupBy, isShown: (route: string) => boolean) {
    this.#nameOf = NAME_OF[group_by];
    this.#ofPrincipal = OF_PRINCIPAL.includes(group_by);
    this.#isShown = isShown;
  }

  /** Ignores runs that called no model. @throws {SvcError} SVC-REQ-001 for too many groups */
  add(row: Counted): void {
    const { usage } = row;
    if (usage === undefined || !this.#isShown(row.route)) return;
    const sums = this.#sumsOf(row);
    sums.runs += 1;
    sums.input_tokens += usage.input_tokens;
    sums.output_tokens += usage.output_tokens;
    sums.micro_usd += usage.micro_usd ?? 0;
    if (usage.micro_usd === null) sums.unpriced_runs += 1;
    if (usage.cost === 'partial') sums.partial_runs += 1;
  }

  /** Groups with the most tokens first. `usd` covers the runs that have a price. */
  groups() {
    return [...this.#sums.values()]
      .map(({ micro_usd, ...sums }) => ({ ...sums, usd: micro_usd / 1_000_000 }))
      .toSorted((a, b) => b.input_tokens + b.output_tokens - a.input_tokens - a.output_tokens);
  }

  #sumsOf(row: Counted): Sums {
    const name = this.#nameOf(row) ?? null;
    const owner = this.#ofPrincipal && name !== null ? { principal_id: row.principal_id } : {};
    const key = JSON.stringify([name, owner]);
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    if (this.#sums.size >= MAX_GROUPS)
      throw new SvcError('SVC-REQ-001', `there are more than ${MAX_GROUPS} groups; choose a shorter time with since and until`);
    const none = { runs: 0, input_tokens: 0, output_tokens: 0, micro_usd: 0, unpriced_runs: 0, partial_runs: 0 };
    const sums = { name, ...owner, ...none };
    this.#sums.set(key, sums);
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
