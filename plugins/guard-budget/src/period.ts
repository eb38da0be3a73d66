import type { CalendarPeriod } from './options.ts';

/** A calendar period. */
export interface Span {
  /** The period's name in ISO 8601, such as `2026-11-21` for a day and `2026-W47` for a week. */
  readonly name: string;
  /** The first millisecond after the period, since the epoch. */
  readonly end: number;
}

/** A day, as the milliseconds from the epoch to its midnight in UTC. */
type Day = number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The largest difference between local midnight and UTC midnight, in either direction. */
const FARTHEST_MS = 15 * HOUR_MS;

/** The periods of a time zone. Minutes and hours use UTC, because an hour may occur twice in a zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat | null;
  /** Cached, because finding a boundary takes a search. */
  readonly #latest = new Map<CalendarPeriod, Span & { readonly from: number }>();

  /**
   * @param time_zone an IANA name; undefined: UTC
   * @throws {Error} with the option and the remedy
   */
  constructor(time_zone?: string) {
    try {
      const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
      this.#format =
        time_zone === undefined ? null : new Intl.DateTimeFormat('en-US', { timeZone: time_zone, era: 'short', ...fields });
    } catch {
      throw new Error('time_zone: must be a name of the IANA time zone database, such as Europe/Berlin');
    }
  }

  /** The period that contains a time in milliseconds since the epoch. */
  spanAt(period: CalendarPeriod, moment: number): Span {
    const latest = this.#latest.get(period);
    if (latest !== undefined && latest.from <= moment && moment < latest.end) return latest;
    const found = { ...this.#find(period, moment), from: moment };
    this.#latest.set(period, found);
    return found;
  }

  #find(period: CalendarPeriod, moment: number): Span {
    const iso = new Date(moment).toISOString();
    switch (period) {
      case 'minute':
        return { name: iso.slice(0, 16), end: new Date(moment).setUTCSeconds(60, 0) };
      case 'hour':
        return { name: iso.slice(0, 13), end: new Date(moment).setUTCMinutes(60, 0, 0) };
      case 'day': {
        const day = this.#dayOf(moment);
        return { name: nameOf(day), end: this.#beginOf(day + DAY_MS) };
      }
      case 'week': {
        const day = this.#dayOf(moment);
        // ISO 8601: weeks begin on Monday and belong to the year of their Thursday.
        const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
        const thursday = new Date(monday + 3 * DAY_MS);
        const year = thursday.getUTCFullYear();
        const week = Math.floor((thursday.getTime() - Date.UTC(year, 0)) / (7 * DAY_MS)) + 1;
        return { name: `${year}-W${String(week).padStart(2, '0')}`, end: this.#beginOf(monday + 7 * DAY_MS) };
      }
      case 'month': {
        const day = new Date(this.#dayOf(moment));
        const next = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
        return { name: nameOf(day.getTime()).slice(0, 7), end: this.#beginOf(next) };
      }
    }
  }

  /** The date in the zone's calendar. */
  #dayOf(moment: number): Day {
    if (this.#format === null) return Math.floor(moment / DAY_MS) * DAY_MS;
    const parts = new Map(this.#format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 0) - 1, parts.get('day') ?? 0);
  }

  /** When a day begins. Clocks may skip midnight. If a zone skips the whole day, the next day's beginning is used. */
  #beginOf(day: Day): number {
    if (this.#format === null) return day;
    let [before, after] = [day - FARTHEST_MS, day + FARTHEST_MS];
    while (after - before > 1) {
      const between = Math.floor((before + after) / 2);
      if (this.#dayOf(between) < day) before = between;
      else after = between;
    }
    return after;
  }
}

function nameOf(day: Day): string {
  return new Date(day).toISOString().slice(0, 10);
}
