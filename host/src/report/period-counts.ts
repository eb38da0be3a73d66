import type { ModelInventory, RunEvidence } from '@svc/contracts';
import { costOfRun } from '../trail/cost.ts';

/** A run of the period, as the list of runs has it. */
export interface ReportedRun {
  readonly route: string;
  readonly status: string;
  readonly events: RunEvidence['events'];
}

/** Number of runs by status, and what their calls cost. */
export interface RouteCounts {
  readonly route: string;
  readonly runs: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Millionths of a dollar, of calls with a known price. */
  readonly micro_usd: number;
  /** Runs with a call whose cost is unknown. */
  readonly runs_without_price: number;
}

/** Verdicts of one guard on one route. Verdicts in `mode: observe`, which were not enforced, are counted separately. */
export interface GuardCounts {
  readonly route: string;
  readonly guard: string;
  readonly stage: string;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly observed: Readonly<Record<string, number>>;
}

/** Decisions of one approver on one route. A decision for several runs counts once for each. */
export interface ApproverCounts {
  readonly route: string;
  readonly principal_id: string;
  readonly approved: number;
  readonly denied: number;
}

/** A route of the active configuration that has a date of review. */
export interface Review {
  readonly route: string;
  readonly owner: string | null;
  readonly risk_rating: string | null;
  readonly last_review: string | null;
  readonly next_review: string;
  readonly overdue: boolean;
}

/** All lists are ordered by their names. */
export interface PeriodReport {
  readonly routes: readonly RouteCounts[];
  readonly guards: readonly GuardCounts[];
  readonly approvers: readonly ApproverCounts[];
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };
type Counts = Record<string, number>;

/** Counts runs. Its memory depends on the number of routes, guards and approvers, not on the number of runs. */
export class PeriodCounts {
  readonly #routes = new Map<string, Changing<Omit<RouteCounts, 'by_status'>> & { by_status: Counts }>();
  readonly #guards = new Map<string, Omit<GuardCounts, 'verdicts' | 'observed'> & { verdicts: Counts; observed: Counts }>();
  readonly #approvers = new Map<string, Changing<ApproverCounts>>();

  add({ route, status, events }: ReportedRun): void {
    const none = { runs: 0, by_status: {}, input_tokens: 0, output_tokens: 0, micro_usd: 0, runs_without_price: 0 };
    const counts = entryOf(this.#routes, [route], { route, ...none });
    const { input_tokens, output_tokens, micro_usd, cost } = costOfRun(events);
    counts.runs += 1;
    count(counts.by_status, status);
    counts.input_tokens += input_tokens;
    counts.output_tokens += output_tokens;
    counts.micro_usd += micro_usd ?? 0;
    counts.runs_without_price += cost === 'partial' ? 1 : 0;
    for (const event of events) this.#addEvent(route, event);
  }

  result(): PeriodReport {
    return { routes: sorted(this.#routes), guards: sorted(this.#guards), approvers: sorted(this.#approvers) };
  }

  #addEvent(route: string, { event_type, stage, node: guard, data }: RunEvidence['events'][number]): void {
    if ((event_type === 'verdict' || event_type === 'observed') && typeof data.verdict === 'string') {
      const counts = entryOf(this.#guards, [route, guard, stage], { route, guard, stage, verdicts: {}, observed: {} });
      count(event_type === 'verdict' ? counts.verdicts : counts.observed, data.verdict);
    }
    if ((event_type === 'decision' || event_type === 'reused') && typeof data.principal_id === 'string') {
      const { principal_id, decision } = data;
      const counts = entryOf(this.#approvers, [route, principal_id], { route, principal_id, approved: 0, denied: 0 });
      if (decision === 'approved' || decision === 'denied') counts[decision] += 1;
    }
  }
}

/** The reviews of routes, the earliest first. @param now ISO 8601 */
export function reviewsOf(inventory: readonly ModelInventory[], now: string): Review[] {
  return inventory
    .flatMap(({ model_id, model_owner, model_risk_rating, date_of_most_recent_review, next_review_date }) =>
      next_review_date === null
        ? []
        : {
            route: model_id,
            owner: model_owner,
            risk_rating: model_risk_rating,
            last_review: date_of_most_recent_review,
            next_review: next_review_date,
            overdue: next_review_date < now.slice(0, 10),
          },
    )
    .sort((a, b) => (a.next_review < b.next_review ? -1 : 1));
}

function entryOf<T>(entries: Map<string, T>, names: readonly string[], empty: T): T {
  const key = JSON.stringify(names);
  const entry = entries.get(key) ?? empty;
  entries.set(key, entry);
  return entry;
}

function count(counts: Counts, name: string): void {
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + 1;
}

function sorted<T>(entries: ReadonlyMap<string, T>): T[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
