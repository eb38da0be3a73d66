import { isProviderError, type JsonExcess, ProviderError, type ProviderErrorKind } from '@svc/contracts';

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What an HTTP status other than 2xx means to the gateway. */
export function kindOfStatus(status: number): ProviderErrorKind {
  switch (status) {
    case 400:
    case 413:
    case 422:
      return 'invalid_request';
    case 429:
      return 'rate_limited';
    case 408:
    case 504:
      return 'timeout';
    default:
      // Redirects and the rest of 4xx say that key, base URL or model is wrong: the gateway's own affair, not the caller's.
      return status >= 500 ? 'unavailable' : 'configuration';
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The connection did not come about: nothing was sent. Names of certificate errors are OpenSSL's. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;

/**
 * The ProviderError for whatever a call threw. Its cause is a bare code such as `ECONNREFUSED`: undici's own errors may hold
 * bytes of the answer.
 */
export function failureOf(error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError('aborted');
  if (isProviderError(error)) return error;
  const code = codeOf(error);
  // Of a request that has left nobody knows whether it was worked on.
  const cost = code !== undefined && NOT_SENT.test(code) ? 'none' : 'unknown';
  const options = code === undefined ? ({ cost } as const) : ({ cause: code, cost } as const);
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new ProviderError('timeout', options);
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return new ProviderError('malformed', options);
    default:
      return new ProviderError('unavailable', options);
  }
}

/** The upstream answered something that is no chat completion. `what` is a constant, never a part of the answer. */
export function malformed(what: string): ProviderError {
  return new ProviderError('malformed', { cause: what });
}

/** What came in place of an answer, such as a page of a proxy: no model was at work. `what` as in {@link malformed}. */
export function noAnswer(what: string): ProviderError {
  return new ProviderError('malformed', { cause: what, cost: 'none' });
}

/** The upstream's answer holds more JSON than is built of it. */
export function tooMuchJson(excess: JsonExcess): ProviderError {
  return malformed(excess);
}

/** A stream broke off before the upstream had said that its answer is whole. */
export function endedEarly(): ProviderError {
  return new ProviderError('unavailable', { cause: 'a stream that ended early', cost: 'unknown' });
}
