import { type RunQuery, type RunRow, type Store, SvcError } from '@svc/contracts';
import { LatencyQuantiles } from './latency-quantiles.ts';
import type { GROUPS } from './schemas.ts';

/** Number of rows in one read. Other requests are served between two reads. */
const PAGE = 500;
/** Maximum number of sums: groups, and their hours or days. Without it, the number of sessions and users would be unlimited. */
const MAX_SUMS = 20_000;

type GroupBy = (typeof GROUPS)[number];
type Counted = Pick<
  RunRow,
  'route' | 'principal_id' | 'team' | 'key_id' | 'session' | 'client' | 'user' | 'usage' | 'status' | 'created_at' | 'approver'
>;

const NAME_OF: Readonly<Record<GroupBy, (row: Counted) => string | undefined>> = {
  key: ({ key_id }) => key_id,
  team: ({ team }) => team,
  principal: ({ principal_id }) => principal_id,
  route: ({ route }) => route,
  model: ({ usage }) => usage?.model,
  session: ({ session }) => session,
  client: ({ client }) => client,
  user: ({ user }) => user,
};
const OF_PRINCIPAL: readonly GroupBy[] = ['session', 'user'];

/** Each interval, with the length of the prefix that all its times share, such as `2026-11-27T10`. */
export const INTERVALS = { hour: 13, day: 10 } as const;
export type Interval = keyof typeof INTERVALS;

/** Sums of some runs. */
class Sums {
  #requests = 0;
  #blocked = 0;
  #runs = 0;
  #input_tokens = 0;
  #output_tokens = 0;
  #micro_usd = 0;
  #unpriced_runs = 0;
  #partial_runs = 0;
  readonly #latencies = new LatencyQuantiles();

  add({ status, usage, created_at, approver }: Counted): void {
    this.#requests += 1;
    if (status === 'blocked') this.#blocked += 1;
    if (usage === undefined) return;
    this.#runs += 1;
    this.#input_tokens += usage.input_tokens;
    this.#output_tokens += usage.output_tokens;
    this.#micro_usd += usage.micro_usd ?? 0;
    if (usage.micro_usd === null) this.#unpriced_runs += 1;
    if (usage.cost === 'partial') this.#partial_runs += 1;
    // The wait for an approver is not part of the gateway's time.
    if (usage.at !== undefined && approver === null) this.#latencies.add(usage.at - Date.parse(created_at));
  }

  get shown() {
    const [p50, p95] = [this.#latencies.get(0.5), this.#latencies.get(0.95)];
    return {
      requests: this.#requests,
      blocked: this.#blocked,
      runs: this.#runs,
      input_tokens: this.#input_tokens,
      output_tokens: this.#output_tokens,
      usd: this.#micro_usd / 1_000_000,
      unpriced_runs: this.#unpriced_runs,
      partial_runs: this.#partial_runs,
      latency_ms: p50 === null || p95 === null ? null : { p50, p95 },
    };
  }
}

interface Group {
  readonly name: string | null;
  /** The principal of a session or user, each of which belongs to one principal. */
  readonly principal_id?: string;
  readonly total: Sums;
  readonly byTime: Map<string, Sums>;
}

/** Sums up the usage of runs in groups. Group null: runs without a value for the grouping. */
export class UsageSum {
  readonly #nameOf: (row: Counted) => string | undefined;
  readonly #ofPrincipal: boolean;
  readonly #isShown: (route: string) => boolean;
  readonly #interval: Interval | null;
  readonly #groups = new Map<string, Group>();
  #sums = 0;

  /** @param isShown whether runs of a route count @param interval also sums up by hour or day */
  constructor(group_by: GroupBy, isShown: (route: string) => boolean, interval: Interval | null = null) {
    this.#nameOf = NAME_OF[group_by];
    this.#ofPrincipal = OF_PRINCIPAL.includes(group_by);
    this.#isShown = isShown;
    this.#interval = interval;
  }

  /** @throws {SvcError} SVC-REQ-001 for too many sums */
  add(row: Counted): void {
    if (!this.#isShown(row.route)) return;
    const { total, byTime } = this.#groupOf(row);
    total.add(row);
    if (this.#interval === null) return;
    const time = row.created_at.slice(0, INTERVALS[this.#interval]);
    entry(byTime, time, () => this.#newSums()).add(row);
  }

  /** The groups, those with the most tokens first. `usd` covers the runs that have a price. */
  groups() {
    return [...this.#groups.values()]
      .map(({ total, byTime, ...named }) => ({
        ...named,
        ...total.shown,
        ...(this.#interval !== null && { intervals: intervalsOf(byTime) }),
      }))
      .toSorted((a, b) => b.input_tokens + b.output_tokens - a.input_tokens - a.output_tokens);
  }

  #groupOf(row: Counted): Group {
    const name = this.#nameOf(row) ?? null;
    const owner = this.#ofPrincipal && name !== null ? { principal_id: row.principal_id } : {};
    const made = (): Group => ({ name, ...owner, total: this.#newSums(), byTime: new Map() });
    return entry(this.#groups, JSON.stringify([name, owner]), made);
  }

  #newSums(): Sums {
    this.#sums += 1;
    if (this.#sums > MAX_SUMS)
      throw new SvcError(
        'SVC-REQ-001',
        `the result has more than ${MAX_SUMS} sums; choose a shorter period with since and until`,
      );
    return new Sums();
  }
}

function intervalsOf(byTime: ReadonlyMap<string, Sums>) {
  return [...byTime]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([time, sums]) => ({ since: `${time}${'T00:00:00.000Z'.slice(time.length - INTERVALS.day)}`, ...sums.shown }));
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
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
    // A store that ignores `until` returns more rows.
    for (const row of page.rows) if (query.until === undefined || row.created_at < query.until) sum.add(row);
    cursor = page.next;
  } while (cursor !== null && !gone.aborted);
}
