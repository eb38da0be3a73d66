import type { NoticeEvent } from '../config/index.ts';

/** Something to report. Holds names of the configuration, codes, ids and numbers only. */
export interface Occurrence {
  readonly event: NoticeEvent;
  readonly route: string | null;
  /** Name of the guard, budget or exporter. */
  readonly name: string | null;
  readonly code: string | null;
  /** For a budget: per cent used. For an exporter: undelivered records. */
  readonly amount: number | null;
  readonly run_id: string | null;
}

/** @param about null for fields that are left out */
export function occurrence(event: NoticeEvent, about: Partial<Omit<Occurrence, 'event'>>): Occurrence {
  return { event, route: null, name: null, code: null, amount: null, run_id: null, ...about };
}

/** Similar occurrences, counted. */
export interface NoticeGroup extends Omit<Occurrence, 'run_id'> {
  readonly count: number;
  /** The first {@link MAX_RUNS} run ids. */
  readonly run_ids: readonly string[];
  /** When the oldest occurred, in milliseconds since the epoch. */
  readonly since: number;
}

/** One message. `id` is the same in every attempt to deliver it. `at`: milliseconds since the epoch. */
export interface Notice {
  readonly id: string;
  readonly at: number;
  readonly groups: readonly NoticeGroup[];
}

export const MAX_RUNS = 5;

export function groupOf({ run_id, ...occurrence }: Occurrence, now: number): NoticeGroup {
  return { ...occurrence, count: 1, run_ids: run_id === null ? [] : [run_id], since: now };
}

export function countOf({ groups }: Pick<Notice, 'groups'>): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}
