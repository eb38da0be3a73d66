import { CHANGES, type Change, LEFT_OUT, type LeftOut, type NotAsked, type Outcome } from '@svc/runtime';
import type { ChangeCounts, ChangedRun, GuardCounts, LeftOutRuns, Totals } from './totals.ts';
import { type Share, shareOf } from './wilson.ts';

const DAY_MS = 86_400_000;
/** Sessions in a report: those with the most changes. */
const MAX_SESSIONS = 100;

/** The runs that are replayed. */
export interface Period {
  /** ISO 8601, in the form of `created_at`. Null: from the first run. */
  readonly from: string | null;
  /** ISO 8601, not included. */
  readonly to: string;
  /** Null: all. */
  readonly route: string | null;
}

export type Shares = Readonly<Record<Change, Share>>;

/** Requests for approval. A period of less than a day counts as a day. Null: there are no runs. */
export interface Approvals {
  readonly days: number;
  readonly before_a_day: number | null;
  readonly after_a_day: number | null;
  /** The bounds of the 95 % interval of `after_a_day`. */
  readonly low: number | null;
  readonly high: number | null;
  readonly busiest_day: { readonly day: string; readonly requests: number } | null;
  /** Days with runs, UTC, the earliest first. */
  readonly by_day: readonly { readonly day: string; readonly before: number; readonly after: number }[];
}

/** What a configuration changes for recorded runs. It contains no text of a caller or a model. */
export interface ReplayReport {
  readonly configuration: { readonly file: string; readonly digest: string };
  readonly period: Period;
  readonly not_replayed: Share & {
    readonly reasons: readonly (LeftOutRuns & { readonly why: LeftOut })[];
    readonly missing_routes: readonly { readonly route: string; readonly runs: number }[];
  };
  readonly limits: {
    /** Runs whose answer is not kept, so that recorded verdicts on it are assumed to stay. */
    readonly answer_not_kept: number;
    /** Runs whose kept content has masks in place of texts. */
    readonly masked_before: number;
    readonly guards_not_asked: readonly { readonly guard: string; readonly why: NotAsked }[];
  };
  readonly replayed: number;
  readonly changes: Shares;
  readonly outcomes: Readonly<Record<Outcome, Readonly<Record<Outcome, number>>>>;
  readonly approvals: Approvals;
  readonly by_guard: readonly (Shares & { readonly guard: string; readonly runs: number; readonly failed: number })[];
  readonly by_route: readonly (Shares & { readonly route: string; readonly runs: number })[];
  readonly by_session: readonly (Shares & { readonly principal: string; readonly session: string; readonly runs: number })[];
  /** Sessions that are not listed. */
  readonly more_sessions: number;
  /** The newest runs of each change, at most 1,000. */
  readonly runs: Readonly<Record<Change, readonly ChangedRun[]>>;
}

export function reportOf(
  totals: Totals,
  period: Period,
  {
    file,
    digest,
    not_asked,
  }: { readonly file: string; readonly digest: string; readonly not_asked: ReadonlyMap<string, NotAsked> },
): ReplayReport {
  const { all, read, sessions } = totals;
  const by_session = sessionsOf(totals);
  return {
    configuration: { file, digest },
    period,
    not_replayed: {
      ...shareOf(read - all.runs, read),
      reasons: LEFT_OUT.map((why) => ({ why, ...totals.left_out[why] })).filter(({ runs }) => runs > 0),
      missing_routes: sorted(totals.missing_routes).map(([route, runs]) => ({ route, runs })),
    },
    limits: {
      answer_not_kept: totals.lacks_answer,
      masked_before: totals.masked_before,
      guards_not_asked: sorted(not_asked).map(([guard, why]) => ({ guard, why })),
    },
    replayed: all.runs,
    changes: sharesOf(all),
    outcomes: totals.outcomes,
    approvals: approvalsOf(totals, period),
    by_guard: sorted(totals.guards).map(([guard, counts]) => ({
      guard,
      runs: counts.runs,
      failed: counts.failed,
      ...guardShares(counts),
    })),
    by_route: sorted(totals.routes).map(([route, counts]) => ({ route, runs: counts.runs, ...sharesOf(counts) })),
    by_session,
    more_sessions: sessions.size - by_session.length + (totals.other_sessions.runs > 0 ? 1 : 0),
    runs: totals.changed,
  };
}

function sharesOf(counts: ChangeCounts): Shares {
  return shares((change) => shareOf(counts[change], counts.runs));
}

/** A guard frees runs among those that it stopped before. */
function guardShares(counts: GuardCounts): Shares {
  return shares((change) => shareOf(counts[change], change === 'freed' ? counts.stopped_before : counts.runs));
}

function shares(of: (change: Change) => Share): Shares {
  return {
    newly_blocked: of('newly_blocked'),
    newly_paused: of('newly_paused'),
    newly_masked: of('newly_masked'),
    freed: of('freed'),
  };
}

function approvalsOf({ pauses, days: counted, oldest, oldest_replayed, all }: Totals, { from, to }: Period): Approvals {
  // Days whose content has expired must not lower the rate.
  const has_older = oldest_replayed === null || (oldest !== null && oldest < oldest_replayed);
  const start = has_older ? oldest_replayed : (from ?? oldest);
  // A rate of some minutes says nothing of a day.
  const days = start === null ? 0 : Math.max(1, (Date.parse(to) - Date.parse(start)) / DAY_MS);
  const by_day = sorted(counted).map(([day, requests]) => ({ day, ...requests }));
  const busiest = by_day.reduce<(typeof by_day)[number] | null>(
    (most, day) => (day.after > (most?.after ?? 0) ? day : most),
    null,
  );
  const aDay = (requests: number): number | null => (days === 0 ? null : rounded(requests / days));
  // The interval of the share of runs that wait, for as many runs a day and requests a run as were recorded.
  const { low, high } = shareOf(pauses.after.runs, all.runs);
  const each = pauses.after.runs === 0 ? 1 : pauses.after.requests / pauses.after.runs;
  const bound = (part: number | null): number | null => (part === null ? null : aDay(part * all.runs * each));
  return {
    days: rounded(days),
    before_a_day: aDay(pauses.before.requests),
    after_a_day: aDay(pauses.after.requests),
    low: bound(low),
    high: bound(high),
    busiest_day: busiest && { day: busiest.day, requests: busiest.after },
    by_day,
  };
}

function sessionsOf({ sessions }: Totals): ReplayReport['by_session'][number][] {
  return [...sessions]
    .map(([key, counts]) => ({ key, counts, changes: CHANGES.reduce((sum, change) => sum + counts[change], 0) }))
    .filter(({ changes }) => changes > 0)
    .toSorted((a, b) => b.changes - a.changes || (a.key < b.key ? -1 : 1))
    .slice(0, MAX_SESSIONS)
    .map(({ key, counts }) => {
      const [principal = '', session = ''] = JSON.parse(key) as string[];
      return { principal, session, runs: counts.runs, ...sharesOf(counts) };
    });
}

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
  return [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function rounded(number: number): number {
  return Math.round(number * 1000) / 1000;
}
