import type { ProviderErrorOptions } from '@svc/contracts';

/** One year. Longer values make no sense. */
const MAX_S = 31_536_000;

/**
 * The delay in seconds from a `Retry-After` header, which is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). `now`: milliseconds
 * since the epoch. 0 for a past date; undefined for anything else.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // All three forms of an HTTP date begin with the weekday. Date.parse alone would accept `2`, `1.5` or `-3` as dates.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(MAX_S, Math.max(0, Math.ceil((at - now) / 1000)));
}

/** The delay that an upstream requests, in whole seconds: from `Retry-After` or, without that, from OpenAI's `retry-after-ms`. */
export function retryOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): Pick<ProviderErrorOptions, 'retry_after_s' | 'retry_after_ms'> {
  const value = headers['retry-after-ms'];
  const retry_after_ms = typeof value === 'string' && /^\d{1,9}(\.\d+)?$/.test(value) ? Math.ceil(Number(value)) : undefined;
  const retry_after_s =
    retryAfter(headers['retry-after'], now) ?? (retry_after_ms === undefined ? undefined : Math.ceil(retry_after_ms / 1000));
  return {
    ...(retry_after_s !== undefined && { retry_after_s }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  };
}
