import { meaningOf, type ProviderError } from '@svc/contracts';
import { UndeclaredFailure } from '../calls/provider-failure.ts';
import type { CircuitCause } from '../observing/observer.ts';

/** What a failure reveals about its endpoint. Null if the caller may have caused the failure, or it will soon pass. */
export function circuitCause(failure: ProviderError): CircuitCause | null {
  if (failure instanceof UndeclaredFailure) return null;
  const { kind, cost, status, code } = failure;
  switch (kind) {
    case 'unavailable':
      return status !== undefined && PASSING.has(status) ? null : 'failures';
    case 'timeout':
      return 'failures';
    case 'malformed':
      return cost === 'none' ? 'failures' : null;
    case 'rate_limited':
      // Other rate limits say themselves when to retry.
      return meaningOf(code) === 'quota' ? 'credit' : null;
    case 'configuration':
      return refusedCause(failure);
    case 'invalid_request':
    case 'unsupported':
    case 'aborted':
      return null;
  }
}

/** Temporary failures that a caller may have caused, such as locked resources. */
const PASSING: ReadonlySet<number> = new Set([409, 423, 424, 425]);

function refusedCause({ status, code }: ProviderError): CircuitCause | null {
  const meaning = meaningOf(code);
  if (meaning === 'quota') return 'credit';
  if (meaning === 'unknown_model') return 'not_found';
  if (code === 'authentication_error') return 'key';
  if (code === 'permission_error') return 'access';
  switch (status) {
    case 401:
      return 'key';
    case 402:
      return 'credit';
    case 403:
      return 'access';
    case 404:
    case 405:
    case 410:
      return 'not_found';
    default:
      return status !== undefined && status >= 300 && status < 400 ? 'not_found' : null;
  }
}
