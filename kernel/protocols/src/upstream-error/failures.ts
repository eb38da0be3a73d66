import { ProviderError, type ProviderErrorKind } from '@svc/contracts';

/** Classifies an HTTP status other than 2xx. */
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
    case 409:
    case 423:
    case 424:
    case 425:
      // The resource is locked, it is too early, or another part of the upstream failed. Nothing was billed, and a retry may succeed.
      return 'unavailable';
    default:
      // Redirects and other 4xx statuses mean a wrong key, base URL or model. The operator must fix that, not the caller.
      return status >= 500 ? 'unavailable' : 'configuration';
  }
}

/** The upstream violated its protocol. `what` is a constant, never part of the answer. */
export function malformed(what: string): ProviderError {
  return new ProviderError('malformed', { cause: what });
}

/** A stream that broke off before its answer was complete. */
export function endedEarly(): ProviderError {
  return new ProviderError('unavailable', { cause: 'a stream that ended early', cost: 'unknown' });
}

/** The caller's request cannot be sent. `what` is a constant, never part of the request. */
export function unsupported(what: string, status: 400 | 413 = 400): ProviderError {
  return new ProviderError('unsupported', { status, cause: what, cost: 'none' });
}
