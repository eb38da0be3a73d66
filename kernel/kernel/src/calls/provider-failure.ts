import { type FailureMeaning, meaningOf, ProviderError, type ProviderErrorKind } from '@svc/contracts';

/** A provider threw what its contract has not. It may be its upstream, or its own code that a request of a caller trips up. */
export class UndeclaredFailure extends ProviderError {}

/** The class of a failure in the log, from a closed list: what the upstream's code means, else the kind. */
export function failureClass({ kind, code }: ProviderError): ProviderErrorKind | FailureMeaning {
  return meaningOf(code) ?? kind;
}

/**
 * Whether a call that failed like this, before it said what it used, may have been paid for. Where its provider does not say: it was given
 * up, or its answer cannot be read.
 */
export function mayHaveCost({ kind, cost }: ProviderError): boolean {
  if (cost !== undefined) return cost === 'unknown';
  switch (kind) {
    case 'timeout':
    case 'aborted':
    case 'malformed':
      return true;
    case 'rate_limited':
    case 'unavailable':
    case 'invalid_request':
    case 'configuration':
    case 'unsupported':
      return false;
  }
}

/**
 * Failures that another endpoint may not have: busy, unavailable, too late, a key, account or model that is refused, or a page in place of an answer,
 * which cost nothing. A request that is wrong is wrong for every endpoint, and an answer that is too large would be so again.
 */
export function mayFallBack({ kind, cost }: ProviderError): boolean {
  switch (kind) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
    case 'configuration':
      return true;
    case 'malformed':
      return cost === 'none';
    case 'invalid_request':
    case 'aborted':
    case 'unsupported':
      return false;
  }
}

/** In place of a failure where an endpoint was passed over. */
export class NotCalled extends ProviderError {}
