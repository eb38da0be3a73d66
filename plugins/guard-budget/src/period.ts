import type { Period } from './options.ts';

/** A calendar period in UTC. */
export interface Span {
  /** Its name in ISO 8601, such as `2026-11-21` for a day. */
  readonly name: string;
  /** First millisecond after it, since the epoch. */
  readonly end: number;
}

/** The period of a time (milliseconds since the epoch). */
export function spanAt(period: Period, moment: number): Span {
  const date = new Date(moment);
  const iso = date.toISOString();
  switch (period) {
    case 'minute':
      return { name: iso.slice(0, 16), end: date.setUTCSeconds(60, 0) };
    case 'hour':
      return { name: iso.slice(0, 13), end: date.setUTCMinutes(60, 0, 0) };
    case 'day':
      return { name: iso.slice(0, 10), end: date.setUTCHours(24, 0, 0, 0) };
    case 'month':
      return { name: iso.slice(0, 7), end: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) };
  }
}
