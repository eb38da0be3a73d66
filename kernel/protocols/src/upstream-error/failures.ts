import { ProviderError, type ProviderErrorKind } from '@svc/contracts';

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
    case 409:
    case 423:
    case 424:
    case 425:
      // A lock, what another part of the upstream did, or too early: it cost nothing and passes.
      return 'unavailable';
    default:
      // Redirects and the rest of 4xx mean that the key, base URL or model is wrong: the operator's problem, not the
      // caller's.
      return status >= 500 ? 'unavailable' : 'configuration';
  }
}

/** The upstream violated its protocol. `what` is a constant, never a part of the answer. */
export function malformed(what: string): ProviderError {
  return new ProviderError('malformed', { cause: what });
}

/** A stream broke off before its answer was complete. */
export function endedEarly(): ProviderError {
  return new ProviderError('unavailable', { cause: 'a stream that ended early', cost: 'unknown' });
}

/** The caller's request cannot be sent. `what` is a constant, never a part of the request. */
export function unsupported(what: string, status: 400 | 413 = 400): ProviderError {
  return new ProviderError('unsupported', { status, cause: what, cost: 'none' });
}
