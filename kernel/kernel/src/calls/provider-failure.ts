import { type FailureMeaning, meaningOf, ProviderError, type ProviderErrorKind } from '@svc/contracts';

/** An error that a provider's contract does not allow. Its cause may be the upstream, or a bug that a caller's request triggers. */
export class UndeclaredFailure extends ProviderError {}

/** The class of a failure for the log, from a closed list: the meaning of the upstream's code if the code has one, otherwise the kind. */
export function failureClass({ kind, code }: ProviderError): ProviderErrorKind | FailureMeaning {
  return meaningOf(code) ?? kind;
}

/**
 * Whether a failed call whose usage is unknown may have been billed. If the provider does not say, only a cancelled call and an unreadable answer
 * count as possibly billed.
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
 * Whether another endpoint may succeed after this failure: the endpoint was busy or unavailable, timed out, refused the key, account or model, or
 * sent an HTML page instead of an answer. Such a failure costs nothing. Other failures would repeat: an invalid request is invalid everywhere, and
 * an answer that is too large would be too large again.
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

/** The failure of an endpoint that was skipped. A failure of any other kind takes precedence. */
export class NotCalled extends ProviderError {}
