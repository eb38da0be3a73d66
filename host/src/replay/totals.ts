import type { RunRow } from '@svc/contracts';
import {
  CHANGES,
  type Change,
  type GuardAct,
  LEFT_OUT,
  type LeftOut,
  OUTCOMES,
  type Outcome,
  outcomeOf,
  type Replayed,
  type ReplayedRun,
} from '@svc/runtime';

/** Runs, and how many of them change. */
export interface ChangeCounts extends Record<Change, number> {
  runs: number;
}

/** `runs`: those in which the guard was asked. `stopped_before`: those that it blocked or paused when they were recorded. */
export interface GuardCounts extends ChangeCounts {
  stopped_before: number;
  failed: number;
}

/** A run that changes. It has names, ids and codes only. */
export interface ChangedRun {
  readonly run_id: string;
  readonly route: string;
  readonly session: string | null;
  readonly created_at: string;
  readonly by: readonly GuardAct[];
}

export interface LeftOutRuns {
  runs: number;
  /** The newest ones. */
  readonly run_ids: string[];
}

/** Runs with a request for approval, and these requests. */
interface Pauses {
  runs: number;
  requests: number;
}

/** Requests for approval of a day, when the runs were recorded and now. */
interface DayCounts {
  before: number;
  after: number;
}

/** Listed runs of each change. All are counted. */
const MAX_LISTED = 1_000;
const MAX_LEFT_OUT = 20;
/** Sessions that are counted on their own. */
const MAX_SESSIONS = 10_000;

/** The sums of replayed runs. Its size is bounded, and it is plain JSON except for its maps. */
export class Totals {
  read = 0;
  readonly all = noChanges();
  readonly left_out = Object.fromEntries(LEFT_OUT.map((why) => [why, { runs: 0, run_ids: [] }])) as unknown as Record<
    LeftOut,
    LeftOutRuns
  >;
  /** Runs of routes that the configuration does not have. */
  readonly missing_routes = new Map<string, number>();
  /** Runs whose answer is not kept. */
  lacks_answer = 0;
  /** Runs in whose kept content guards have masked something. */
  masked_before = 0;
  /** Runs by their recorded outcome and the one now. */
  readonly outcomes = Object.fromEntries(
    OUTCOMES.map((was) => [was, Object.fromEntries(OUTCOMES.map((is) => [is, 0]))]),
  ) as Record<Outcome, Record<Outcome, number>>;
  readonly pauses: Record<'before' | 'after', Pauses> = { before: { runs: 0, requests: 0 }, after: { runs: 0, requests: 0 } };
  readonly days = new Map<string, DayCounts>();
  /** `created_at` of the oldest run so far. */
  oldest: string | null = null;
  /** The same, of those that were replayed. */
  oldest_replayed: string | null = null;
  readonly guards = new Map<string, GuardCounts>();
  readonly routes = new Map<string, ChangeCounts>();
  /** By principal and session, as JSON. */
  readonly sessions = new Map<string, ChangeCounts>();
  /** The sessions beyond the limit, together. */
  readonly other_sessions = noChanges();
  readonly changed = Object.fromEntries(CHANGES.map((change) => [change, []])) as unknown as Record<Change, ChangedRun[]>;

  /** Runs must come in the order of the store, newest first. */
  add({ row, result }: Replayed): void {
    this.read += 1;
    this.oldest = row.created_at;
    if (typeof result === 'string') this.#leaveOut(row, result);
    else this.#count(row, result);
  }

  #leaveOut({ run_id, route }: RunRow, why: LeftOut): void {
    const found = this.left_out[why];
    found.runs += 1;
    if (found.run_ids.length < MAX_LEFT_OUT) found.run_ids.push(run_id);
    if (why === 'route_missing') this.missing_routes.set(route, (this.missing_routes.get(route) ?? 0) + 1);
  }

  #count(row: RunRow, run: ReplayedRun): void {
    const { before, after, change, asked, failed, lacks_answer } = run;
    this.oldest_replayed = row.created_at;
    const kind = change?.change ?? null;
    for (const counts of [this.all, entryOf(this.routes, row.route, noChanges), ...this.#sessionOf(row)]) addTo(counts, kind);
    if (lacks_answer) this.lacks_answer += 1;
    if (before.masked.length > 0) this.masked_before += 1;
    this.outcomes[outcomeOf(before)][outcomeOf(after)] += 1;
    this.#countPauses(row, before.paused.length, after.paused.length);
    for (const name of asked) this.#guard(name).runs += 1;
    for (const name of failed) this.#guard(name).failed += 1;
    const stops = before.blocked === null ? before.paused : [...before.paused, before.blocked];
    for (const name of namesOf(stops)) this.#guard(name).stopped_before += 1;
    if (change === null) return;
    for (const name of namesOf(change.by)) this.#guard(name)[change.change] += 1;
    const { run_id, route, session = null, created_at } = row;
    const listed = this.changed[change.change];
    if (listed.length < MAX_LISTED) listed.push({ run_id, route, session, created_at, by: change.by });
  }

  #countPauses({ created_at }: RunRow, before: number, after: number): void {
    for (const [when, requests] of [
      ['before', before],
      ['after', after],
    ] as const) {
      if (requests > 0) this.pauses[when].runs += 1;
      this.pauses[when].requests += requests;
    }
    const day = entryOf(this.days, created_at.slice(0, 10), () => ({ before: 0, after: 0 }));
    day.before += before;
    day.after += after;
  }

  #sessionOf({ principal_id, session }: RunRow): ChangeCounts[] {
    if (session === undefined) return [];
    const key = JSON.stringify([principal_id, session]);
    const isFull = this.sessions.size >= MAX_SESSIONS && !this.sessions.has(key);
    return [isFull ? this.other_sessions : entryOf(this.sessions, key, noChanges)];
  }

  #guard(name: string): GuardCounts {
    return entryOf(this.guards, name, () => ({ ...noChanges(), stopped_before: 0, failed: 0 }));
  }

  /** The input of {@link Totals.from}. */
  toJSON(): object {
    return Object.fromEntries(Object.entries(this).map(([name, value]) => [name, value instanceof Map ? [...value] : value]));
  }

  /** @param json what {@link toJSON} returned, perhaps in another process */
  static from(json: object): Totals {
    const totals = new Totals();
    for (const [name, value] of Object.entries(json)) {
      const field: unknown = Reflect.get(totals, name);
      if (field instanceof Map) for (const [key, entry] of value) field.set(key, entry);
      else Reflect.set(totals, name, value);
    }
    return totals;
  }
}

function noChanges(): ChangeCounts {
  return { runs: 0, newly_blocked: 0, newly_paused: 0, newly_masked: 0, freed: 0 };
}

function addTo(counts: ChangeCounts, change: Change | null): void {
  counts.runs += 1;
  if (change !== null) counts[change] += 1;
}

function namesOf(acts: readonly GuardAct[]): Set<string> {
  return new Set(acts.map(({ node }) => node));
}

function entryOf<T>(entries: Map<string, T>, name: string, make: () => T): T {
  const entry = entries.get(name) ?? make();
  entries.set(name, entry);
  return entry;
}
