import { SvcError } from '@svc/contracts';

const FORM = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+ -]\d\d(?::?\d\d)?)?)?$/;

/**
 * The query parameters `since` and `until`, if they are given.
 * @throws {SvcError} SVC-REQ-001
 */
export function timeBounds(query: TimeBounds): TimeBounds {
  const bounds: { since?: string; until?: string } = {};
  for (const name of ['since', 'until'] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const bound = parseSince(text);
    if (bound === null) throw new SvcError('SVC-REQ-001', `querystring/${name} must be an ISO 8601 date or date-time`);
    bounds[name] = bound;
  }
  return bounds;
}

interface TimeBounds {
  readonly since?: string;
  readonly until?: string;
}

/**
 * Parses an ISO 8601 date or date-time. Accepts any fraction of a second, treats a missing zone as UTC, and accepts a space in place of a `+` that
 * URL decoding has replaced.
 * @returns the first millisecond at or after that time, in the form of `created_at`; null if the text is invalid
 */
export function parseSince(text: string): string | null {
  const found = FORM.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = found;
  const parts = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s, 0);
  const exact = date.getUTCMonth() === mo - 1 && date.getUTCDate() === d && h < 24 && mi < 60 && s < 60;
  const offset = zoneMinutes(zone);
  if (!exact || offset === null) return null;
  // Rounded up, because the bound is inclusive and `created_at` has whole milliseconds.
  const milliseconds = Math.ceil(Number(`0.${fraction}`) * 1000);
  const bound = new Date(date.getTime() - offset * 60_000 + milliseconds);
  return bound.getUTCFullYear() >= 0 && bound.getUTCFullYear() <= 9999 ? bound.toISOString() : null;
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
