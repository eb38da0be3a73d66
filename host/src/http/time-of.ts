import { SvcError } from '@svc/contracts';

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z');

/**
 * A time of a body in UTC; null for null.
 * @throws {SvcError} SVC-REQ-001 for an impossible time, such as a leap second, and for one that RFC 3339 cannot express in UTC
 */
export function timeOf<T extends string | null>(text: T, field: string): T extends null ? null : string;
export function timeOf(text: string | null, field: string): string | null {
  if (text === null) return null;
  const time = Date.parse(text);
  const isTime = !Number.isNaN(time) && time >= YEAR_0 && time < YEAR_10000;
  if (!isTime) throw new SvcError('SVC-REQ-001', `body/${field} must be a date-time`);
  return new Date(time).toISOString();
}
