// As many retries as OpenAI's client makes, except for calls that could be carried out twice.

export const MAX_RETRIES = 2;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;
const MAX_RETRY_AFTER_MS = 60_000;

/** Node's error codes for a connection that was never established. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Node's error codes for a broken connection. */
const BROKEN = new Set([
  ...['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);

/** Whether to retry a call whose connection failed. A call that may have arrived is retried only if it is idempotent. */
export function repeatsError(error: unknown, idempotent: boolean): boolean {
  // `fetch` rejects with a TypeError for a broken connection, but also for a refused redirect and an invalid certificate.
  if (!(error instanceof TypeError)) return false;
  // Browsers do not report the cause.
  if (error.cause === undefined) return idempotent;
  const { code } = Object(error.cause);
  return NEVER_SENT.has(code) || (idempotent && BROKEN.has(code));
}

/** Whether to retry a call that got an error response. The gateway says so if a retry cannot help. */
export function repeatsStatus({ status, headers }: Response): boolean {
  const should_retry = headers.get('x-should-retry');
  if (should_retry === 'true' || should_retry === 'false') return should_retry === 'true';
  return [408, 409, 429].includes(status) || status >= 500;
}

/** The delay before the next attempt: what the server requested, up to a minute. Without a request, 0.5 s, doubled each time, with jitter. */
export function delayMs(attempt: number, headers?: Headers): number {
  const asked = headers === undefined ? Number.NaN : retryAfterMs(headers);
  if (asked > 0 && asked <= MAX_RETRY_AFTER_MS) return asked;
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (1 - 0.25 * Math.random());
}

/** The delay from `retry-after-ms` or, without that, from `retry-after` in seconds or as a date. NaN if there is neither. */
function retryAfterMs(headers: Headers): number {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(ms)) return ms;
  const value = headers.get('retry-after') ?? '';
  const seconds = Number(value === '' ? Number.NaN : value);
  return Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
}
