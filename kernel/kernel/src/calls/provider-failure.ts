import { type FailureMeaning, meaningOf, ProviderError, type ProviderErrorKind } from '@svc/contracts';

/** A provider threw something outside its contract. The cause may be its upstream, or a bug that a caller's request triggers. */
export class UndeclaredFailure extends ProviderError {}

/** The class of a failure in the log, from a closed list: what the upstream's code means, else the kind. */
export function failureClass({ kind, code }: ProviderError): ProviderErrorKind | FailureMeaning {
  return meaningOf(code) ?? kind;
}

/**
 * Whether a call that failed before its usage was known may have been billed. If the provider does not say: only if it was cancelled, or its answer
 * is unreadable.
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
 * Failures after which another endpoint may succeed: busy, unavailable, timed out, a refused key, account or model, or an HTML page instead of an
 * answer. None of them cost anything. An invalid request is invalid everywhere, and an answer that is too large would be too large again.
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

/** Replaces a failure if an endpoint was skipped. */
export class NotCalled extends ProviderError {}
