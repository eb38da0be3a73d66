/**
 * Seconds from a `Retry-After` header: a number of seconds, or an HTTP date (RFC 9110, section 10.2.3) seen from `now`
 * (milliseconds since the epoch). Undefined for anything else; a date that has passed gives 0.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // All three forms of an HTTP date begin with the day's name; Date.parse alone would take `2`, `1.5` or `-3` for dates.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}
